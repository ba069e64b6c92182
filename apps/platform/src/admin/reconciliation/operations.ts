import type { ManagementOperation } from "../../operation.ts";
import { getReconciliation } from "./get-reconciliation.ts";
import { runReconciliation } from "./run-reconciliation.ts";

export const reconciliationOperations: readonly ManagementOperation[] = [getReconciliation, runReconciliation];
