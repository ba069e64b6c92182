import type { Page } from "@tollgate/contracts/management/lists.ts";
import { toList } from "@tollgate/contracts/management/lists.ts";
import { type AuditFilter, listAudit } from "@tollgate/db/audit/list-audit.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { csvLine } from "@tollgate/domain/csv.ts";
import type { Answer } from "../operation.ts";
import { toAuditRow } from "./to-audit-row.ts";

/** Maximum number of lines in an exported file, which is created in one request. */
const MAX_LINES = 10_000;

const HEADER = csvLine([
  "id",
  "at",
  "summary",
  "action",
  "actorType",
  "actorId",
  "actor",
  "targetType",
  "targetId",
  "target",
  "organizationId",
  "organizationName",
  "ip",
  "userAgent",
  "requestId",
  "before",
  "after",
  "hash",
]);

/** Answers with one page of the audit log or, for `format=csv`, with all matching entries up to a limit. */
export async function answerAudit(
  transaction: TenantTransaction,
  filter: AuditFilter,
  query: Page & { readonly format: "json" | "csv" },
): Promise<Answer> {
  if (query.format === "json") {
    const { rows, total } = await listAudit(transaction, filter);
    return { status: 200, body: toList(rows.map(toAuditRow), query, total) };
  }
  const { rows, total } = await listAudit(transaction, { ...filter, limit: MAX_LINES, offset: 0 });
  return {
    status: 200,
    headers: {
      "content-disposition": 'attachment; filename="audit.csv"',
      ...(total > MAX_LINES && { "x-gw-truncated": "true" }),
    },
    raw: { contentType: "text/csv; charset=utf-8", content: HEADER + rows.map(toAuditRow).map(toLine).join("") },
  };
}

function toLine(row: ReturnType<typeof toAuditRow>): string {
  const { actor, target } = row;
  return csvLine([
    row.id,
    row.at,
    row.summary,
    row.action,
    actor.type,
    actor.id,
    actor.email ?? actor.name,
    target.type,
    target.id,
    target.name,
    row.organizationId,
    row.organizationName,
    row.ip,
    row.userAgent,
    row.requestId,
    row.before === null ? null : JSON.stringify(row.before),
    row.after === null ? null : JSON.stringify(row.after),
    row.hash,
  ]);
}
