import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** A change as recorded in the audit log. */
export interface AuditEntry {
  /** Chain that the entry joins; null if the entry concerns only the instance or an account. */
  readonly organizationId: string | null;
  readonly actor: AuditActor;
  /** For example, `key.created`. */
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string };
  /** Changed fields, without secrets or personal data. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
  /** Names and addresses, stored separately so that they can be erased: `{ before: { email }, after: { email } }`. */
  readonly personal?: Readonly<Record<string, unknown>>;
  /** IDs of users, other than the actor, whose personal data the entry contains. */
  readonly subjects?: readonly number[];
}

export interface AuditActor {
  readonly type: "user" | "admin" | "system" | "key";
  readonly id: number | string | null;
  readonly email?: string;
  readonly ip?: string;
  readonly userAgent?: string | null;
  readonly requestId?: string;
}

/**
 * Adds a row to the audit log in the same transaction as the change. Must be called last, because it locks the chain
 * until the commit.
 */
export async function writeAudit(transaction: TenantTransaction, entry: AuditEntry): Promise<void> {
  const { actor } = entry;
  const personal = { email: actor.email, ip: actor.ip, userAgent: actor.userAgent, ...entry.personal };
  const subjects = [...(typeof actor.id === "number" ? [actor.id] : []), ...(entry.subjects ?? [])];
  await sql`select write_audit(
    ${entry.organizationId}, ${toJson({ type: actor.type, id: actor.id })}::jsonb, ${entry.action},
    ${toJson(entry.target)}::jsonb, ${actor.requestId ?? null},
    ${entry.before === undefined ? null : toJson(entry.before)}::jsonb,
    ${entry.after === undefined ? null : toJson(entry.after)}::jsonb,
    ${toJson(personal)}::jsonb, ${subjects}::integer[])`.execute(transaction);
}

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? member.toString() : member));
