import type { ManagementOperation } from "../operation.ts";

export const messageOperations: readonly ManagementOperation[] = [];
