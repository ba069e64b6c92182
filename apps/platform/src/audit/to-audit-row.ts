import { readTimeRange } from "@tollgate/contracts/management/read-time.ts";
import type { AuditFilter, AuditRecord } from "@tollgate/db/audit/list-audit.ts";

/** Converts an audit record to its API format, including its personal data unless the data was erased. */
export function toAuditRow({ personal, ...row }: AuditRecord) {
  return {
    ...row,
    actor: { type: row.actor.type, id: row.actor.id, email: textOf(personal?.email) },
    target: { ...row.target, email: emailOf(personal?.target) },
    ip: textOf(personal?.ip),
    userAgent: textOf(personal?.userAgent),
    before: merge(row.before, personal?.before),
    after: merge(row.after, personal?.after),
  };
}

interface AuditParameters {
  readonly page: number;
  readonly pageSize: number;
  readonly actor?: string;
  readonly action?: readonly string[];
  readonly target?: string;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly sort: "at" | "-at";
}

/** Reads the filter parameters that both audit log lists support. */
export function readAuditFilter(query: AuditParameters): Omit<AuditFilter, "chain"> {
  return {
    actor: query.actor ?? null,
    actions: query.action ?? [],
    target: query.target ?? null,
    ...readTimeRange(query),
    isNewestFirst: query.sort === "-at",
    limit: query.pageSize,
    offset: (query.page - 1) * query.pageSize,
  };
}

function merge(fields: object | null, personal: unknown): object | null {
  if (typeof personal !== "object" || personal === null) return fields;
  return { ...fields, ...personal };
}

function emailOf(person: unknown): string | null {
  return typeof person === "object" && person !== null && "email" in person ? textOf(person.email) : null;
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
