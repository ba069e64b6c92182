import type { ManagementOperation } from "../operation.ts";
import { getLog } from "./get-log.ts";
import { getUsage } from "./get-usage.ts";
import { getUsageReconciliation } from "./get-usage-reconciliation.ts";
import { listErrorCauses } from "./list-error-causes.ts";
import { listLogs } from "./list-logs.ts";
import { listRequestSessions } from "./list-request-sessions.ts";
import { streamLogs } from "./stream-logs.ts";

export const usageOperations: readonly ManagementOperation[] = [
  listLogs,
  listErrorCauses,
  listRequestSessions,
  streamLogs,
  getLog,
  getUsage,
  getUsageReconciliation,
];
