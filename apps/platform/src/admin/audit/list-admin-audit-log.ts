import { AdminAuditQuery, AuditRow } from "@tollgate/contracts/management/audit.ts";
import { listOf } from "@tollgate/contracts/management/lists.ts";
import type { AuditFilter } from "@tollgate/db/audit/list-audit.ts";
import { answerAudit } from "../../audit/answer-audit.ts";
import { readAuditFilter } from "../../audit/to-audit-row.ts";
import { operation, read } from "../../operation.ts";

export const listAdminAuditLog = operation({
  ...read,
  id: "listAdminAuditLog",
  summary: "List audit log entries of all organizations and of the server",
  tag: "admin",
  path: "/api/admin/audit-log",
  auth: "administrator",
  scope: "administrator",
  query: AdminAuditQuery,
  answers: {
    200: {
      description: "One page of audit log entries; with format=csv, all matching entries up to 10,000",
      schema: listOf(AuditRow),
    },
  },
  async handle({ query }, transaction) {
    return answerAudit(transaction, { chain: chainOf(query.organizationId), ...readAuditFilter(query) }, query);
  },
});

function chainOf(organizationId: string | undefined): AuditFilter["chain"] {
  if (organizationId === undefined) return { kind: "any" };
  return organizationId === "none" ? { kind: "installation" } : { kind: "organization", id: organizationId };
}
