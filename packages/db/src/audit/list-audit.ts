import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export interface AuditFilter {
  /**
   * Audit chain to read: an organization's chain, the instance's own chain, or all chains that the connection can see.
   */
  readonly chain: { readonly kind: "organization"; readonly id: string } | { readonly kind: "installation" | "any" };
  /** ID or type of the actor. */
  readonly actor: string | null;
  /** Empty for all actions. */
  readonly actions: readonly string[];
  /** ID or type of the changed object. */
  readonly target: string | null;
  readonly from: Date | null;
  readonly until: Date | null;
  readonly isNewestFirst: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** An audit log row, with the personal data that is still stored. */
export interface AuditRecord {
  readonly id: string;
  readonly at: Date;
  readonly actor: { readonly type: "user" | "admin" | "system" | "key"; readonly id: number | string | null };
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string };
  readonly organizationId: string | null;
  readonly requestId: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  /** Null if there was no personal data, or if it was erased. */
  readonly personal: Readonly<Record<string, unknown>> | null;
  readonly prevHash: string | null;
  readonly hash: string;
}

/** Lists one page of the log and counts the matching rows. */
export async function listAudit(
  transaction: TenantTransaction,
  filter: AuditFilter,
): Promise<{ readonly rows: readonly AuditRecord[]; readonly total: number }> {
  const { actor, actions, target, from, until } = filter;
  const wanted = sql`
    from audit_log entry
    where ${ofChain(filter.chain)}
      and (${actor}::text is null or ${actor} in (entry.actor ->> 'id', entry.actor ->> 'type'))
      and (${actions.length === 0} or entry.action = any (${actions}::text[]))
      and (${target}::text is null or ${target} in (entry.target ->> 'id', entry.target ->> 'type'))
      and (${from}::timestamptz is null or entry.at >= ${from})
      and (${until}::timestamptz is null or entry.at < ${until})`;
  const direction = filter.isNewestFirst ? sql`desc` : sql`asc`;
  const { rows } = await sql<AuditRecord>`
    select page.*, personal.personal
    from (
      select entry.id, entry.at, entry.actor, entry.action, entry.target, entry.organization_id as "organizationId",
        entry.request_id as "requestId", entry.before, entry.after,
        encode(entry.previous_hash, 'hex') as "prevHash", encode(entry.hash, 'hex') as hash
      ${wanted}
      order by entry.at ${direction}, entry.id ${direction}
      limit ${filter.limit} offset ${filter.offset}
    ) page
    left join audit_personal personal on personal.audit_id = page.id
    order by page.at ${direction}, page.id ${direction}`.execute(transaction);
  const counted = await sql<{ total: number }>`select count(*)::integer as total ${wanted}`.execute(transaction);
  return { rows: rows.map(withActorId), total: counted.rows[0]?.total ?? 0 };
}

/** Entries written by the ledger's SQL functions have no actor ID. */
function withActorId(row: AuditRecord): AuditRecord {
  return { ...row, actor: { type: row.actor.type, id: row.actor.id ?? null } };
}

function ofChain(chain: AuditFilter["chain"]) {
  if (chain.kind === "any") return sql`true`;
  return "id" in chain ? sql`entry.organization_id = ${chain.id}` : sql`entry.organization_id is null`;
}
