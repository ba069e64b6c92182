import type { ManagementOperation } from "../operation.ts";

export const catalogueOperations: readonly ManagementOperation[] = [];
