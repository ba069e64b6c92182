import { readTimeRange } from "@tollgate/contracts/management/read-time.ts";
import type { AuditFilter, AuditRecord } from "@tollgate/db/audit/list-audit.ts";
import { describeChange } from "@tollgate/domain/audit/describe-change.ts";

/** Converts an audit record to its API format, including its personal data unless the data was erased. */
export function toAuditRow({ personal, actorName, targetName, teamName, ...row }: AuditRecord) {
  const actor = { ...row.actor, email: textOf(personal?.email), name: actorName };
  const after = merge(row.after, personal?.after);
  const before = merge(row.before, personal?.before);
  const email = emailOf(personal?.target);
  const name = email ?? targetName ?? nameIn(after) ?? nameIn(before);
  const change = {
    action: row.action,
    target: { ...row.target, name },
    teamName,
    before: row.before,
    after: row.after,
  };
  return {
    ...row,
    summary: describeChange({ ...change, actor: actor.email ?? actor.name ?? actorWithoutName(row) }),
    actor,
    target: { ...row.target, email, name },
    ip: textOf(personal?.ip),
    userAgent: textOf(personal?.userAgent),
    before,
    after,
  };
}

interface AuditParameters {
  readonly page: number;
  readonly pageSize: number;
  readonly actor?: string;
  readonly action?: readonly string[];
  readonly target?: string;
  readonly search?: string;
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
    search: query.search ?? null,
    ...readTimeRange(query),
    isNewestFirst: query.sort === "-at",
    limit: query.pageSize,
    offset: (query.page - 1) * query.pageSize,
  };
}

/** Names an actor without a name: the system, an erased user, or an operator's command. */
function actorWithoutName({ actor: { type, id } }: Pick<AuditRecord, "actor">): string {
  const word = type === "admin" ? "Administrator" : type === "user" ? "User" : type === "key" ? "Key" : "System";
  return id === null || type === "system" ? word : `${word} ${id}`;
}

/** Returns the name in a changed record, for objects that no longer exist. */
function nameIn(fields: object | null): string | null {
  for (const [field, value] of Object.entries(fields ?? {})) {
    if (["name", "slug", "email", "host"].includes(field) && typeof value === "string") return value;
  }
  return null;
}

function merge(fields: object | null, personal: unknown): object | null {
  if (typeof personal !== "object" || personal === null) return fields;
  return { ...fields, ...personal };
}

function emailOf(person: unknown): string | null {
  return typeof person === "object" && person !== null && "email" in person ? textOf(person.email) : null;
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
