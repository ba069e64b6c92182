import { Failure } from "@tollgate/contracts/failures.ts";
import { AuditQuery, AuditRow } from "@tollgate/contracts/management/audit.ts";
import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { listAudit } from "@tollgate/db/audit/list-audit.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import { operation, read } from "../operation.ts";
import { readAuditFilter, toAuditRow } from "./to-audit-row.ts";

export const listAuditLog = operation({
  ...read,
  id: "listAuditLog",
  summary: "List audit log entries of your organization; administrators only",
  tag: "organizations",
  path: "/api/gw/audit-log",
  auth: "user",
  scope: "organization",
  query: AuditQuery,
  answers: { 200: { description: "One page of audit log entries", schema: listOf(AuditRow) } },
  async handle({ caller: { organization }, query }, transaction) {
    if (!may({ organization: organization.role }, "see_audit_log")) {
      throw new Failure("ROLE_REQUIRED", "Only organization administrators can view the audit log.");
    }
    const chain = { kind: "organization", id: organization.id } as const;
    const { rows, total } = await listAudit(transaction, { chain, ...readAuditFilter(query) });
    return { status: 200, body: toList(rows.map(toAuditRow), query, total) };
  },
});
