import type { ManagementOperation } from "../operation.ts";

export const adminOperations: readonly ManagementOperation[] = [];
