import type { ManagementOperation } from "../operation.ts";
import { getLog } from "./get-log.ts";
import { getUsage } from "./get-usage.ts";
import { listLogs } from "./list-logs.ts";

export const usageOperations: readonly ManagementOperation[] = [listLogs, getLog, getUsage];
