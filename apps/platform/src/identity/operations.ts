import type { ManagementOperation } from "../operation.ts";

export const identityOperations: readonly ManagementOperation[] = [];
