import { Failure } from "@tollgate/contracts/failures.ts";
import { AuditQuery, AuditRow } from "@tollgate/contracts/management/audit.ts";
import { listOf } from "@tollgate/contracts/management/lists.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import { operation, read } from "../operation.ts";
import { answerAudit } from "./answer-audit.ts";
import { readAuditFilter } from "./to-audit-row.ts";

export const listAuditLog = operation({
  ...read,
  id: "listAuditLog",
  summary: "List audit log entries of your organization; administrators only",
  tag: "organizations",
  path: "/api/gw/audit-log",
  auth: "user",
  scope: "organization",
  query: AuditQuery,
  answers: {
    200: {
      description: "One page of audit log entries; with format=csv, all matching entries up to 10,000",
      schema: listOf(AuditRow),
    },
  },
  async handle({ caller: { organization }, query }, transaction) {
    if (!may({ organization: organization.role }, "see_audit_log")) {
      throw new Failure("ROLE_REQUIRED", "Only organization administrators can view the audit log.");
    }
    const chain = { kind: "organization", id: organization.id } as const;
    return answerAudit(transaction, { chain, ...readAuditFilter(query) }, query);
  },
});
