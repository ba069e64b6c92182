import type { ManagementOperation } from "../operation.ts";

export const usageOperations: readonly ManagementOperation[] = [];
