import type { ManagementOperation } from "../operation.ts";

export const organizationOperations: readonly ManagementOperation[] = [];
