import type { ManagementOperation } from "../operation.ts";

export const webhookOperations: readonly ManagementOperation[] = [];
