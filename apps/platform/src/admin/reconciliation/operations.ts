import type { ManagementOperation } from "../../operation.ts";
import { createReconciliation } from "./create-reconciliation.ts";
import { getReconciliation } from "./get-reconciliation.ts";

export const reconciliationOperations: readonly ManagementOperation[] = [getReconciliation, createReconciliation];
