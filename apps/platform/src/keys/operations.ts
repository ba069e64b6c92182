import type { ManagementOperation } from "../operation.ts";

export const keyOperations: readonly ManagementOperation[] = [];
