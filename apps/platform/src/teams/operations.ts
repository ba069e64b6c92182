import type { ManagementOperation } from "../operation.ts";

export const teamOperations: readonly ManagementOperation[] = [];
