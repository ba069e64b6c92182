import type { ManagementOperation } from "../operation.ts";

export const creditOperations: readonly ManagementOperation[] = [];
