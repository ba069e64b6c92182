import type { ManagementOperation } from "../operation.ts";
import { listAuditLog } from "./list-audit-log.ts";

export const auditOperations: readonly ManagementOperation[] = [listAuditLog];
