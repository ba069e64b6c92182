import { AdminAuditQuery, AuditRow } from "@tollgate/contracts/management/audit.ts";
import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { type AuditFilter, listAudit } from "@tollgate/db/audit/list-audit.ts";
import { readAuditFilter, toAuditRow } from "../../audit/to-audit-row.ts";
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
  answers: { 200: { description: "One page of audit log entries", schema: listOf(AuditRow) } },
  async handle({ query }, transaction) {
    const { rows, total } = await listAudit(transaction, {
      chain: chainOf(query.organizationId),
      ...readAuditFilter(query),
    });
    return { status: 200, body: toList(rows.map(toAuditRow), query, total) };
  },
});

function chainOf(organizationId: string | undefined): AuditFilter["chain"] {
  if (organizationId === undefined) return { kind: "any" };
  return organizationId === "none" ? { kind: "installation" } : { kind: "organization", id: organizationId };
}
