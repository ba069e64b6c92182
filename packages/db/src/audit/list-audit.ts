import { type RawBuilder, sql } from "kysely";
import { containing } from "../like-pattern.ts";
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
  /** Part of a name, an email address, or the action, or a full ID. */
  readonly search: string | null;
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
  /** Name of the API key that acted. */
  readonly actorName: string | null;
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string };
  /** Current name of the object, or null if it has none or no longer exists. */
  readonly targetName: string | null;
  /** Current name of the team that the change names. */
  readonly teamName: string | null;
  readonly organizationId: string | null;
  readonly organizationName: string | null;
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
  const { actor, actions, target, search, from, until } = filter;
  const wanted = sql`
    from audit_log entry
    where ${ofChain(filter.chain)}
      and (${actor}::text is null or ${actor} in (entry.actor ->> 'id', entry.actor ->> 'type'))
      and (${actions.length === 0} or entry.action = any (${actions}::text[]))
      and (${target}::text is null or ${target} in (entry.target ->> 'id', entry.target ->> 'type'))
      and (${search}::text is null or ${search === null ? sql`false` : matchesText(search)})
      and (${from}::timestamptz is null or entry.at >= ${from})
      and (${until}::timestamptz is null or entry.at < ${until})`;
  const direction = filter.isNewestFirst ? sql`desc` : sql`asc`;
  const { rows } = await sql<AuditRecord>`
    select page.*, personal.personal, ${nameOf(sql`page.target`)} as "targetName",
      case when page.actor ->> 'type' = 'key' then (select name from api_keys where id = page.actor ->> 'id') end as "actorName",
      (select name from teams where id = coalesce(page.after ->> 'teamId', page.before ->> 'teamId')) as "teamName",
      (select name from organizations where id = page."organizationId") as "organizationName"
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

/** Returns the current name of an object. Users are named by their email address. */
function nameOf(target: RawBuilder<unknown>) {
  return sql`case ${target} ->> 'type'
    when 'key' then (select name from api_keys where id = ${target} ->> 'id')
    when 'team' then (select name from teams where id = ${target} ->> 'id')
    when 'organization' then (select name from organizations where id = ${target} ->> 'id')
    when 'provider' then (select slug from providers where id = ${target} ->> 'id')
    when 'webhook' then (select url from webhooks where id = ${target} ->> 'id')
    when 'invitation' then (select email from invitations where id = ${target} ->> 'id')
    when 'user' then (
      select email from users
      where id = case when ${target} ->> 'id' ~ '^[0-9]{1,9}$' then (${target} ->> 'id')::integer end
    )
  end`;
}

/** Matches names, email addresses, and the action by their parts, and IDs as a whole. */
function matchesText(text: string) {
  const part = containing(text);
  return sql`(
    entry.action ilike ${part} or ${text} in (entry.id, entry.request_id, entry.target ->> 'id', entry.actor ->> 'id')
    or entry.before ->> 'name' ilike ${part} or entry.after ->> 'name' ilike ${part}
    or (entry.target ->> 'type', entry.target ->> 'id') in (
      select 'key', id from api_keys where name ilike ${part}
      union all select 'team', id from teams where name ilike ${part}
      union all select 'organization', id from organizations where name ilike ${part}
      union all select 'provider', id from providers where slug ilike ${part} or name ilike ${part}
      union all select 'webhook', id from webhooks where url ilike ${part}
      union all select 'invitation', id from invitations where email ilike ${part}
      union all select 'user', id::text from users where email ilike ${part} or name ilike ${part}
    )
    or exists (
      select from audit_personal named
      where named.audit_id = entry.id
        and (named.personal ->> 'email' ilike ${part} or named.personal -> 'target' ->> 'email' ilike ${part})
    )
  )`;
}

/** Entries written by the ledger's SQL functions have no actor ID. */
function withActorId(row: AuditRecord): AuditRecord {
  return { ...row, actor: { type: row.actor.type, id: row.actor.id ?? null } };
}

function ofChain(chain: AuditFilter["chain"]) {
  if (chain.kind === "any") return sql`true`;
  return "id" in chain ? sql`entry.organization_id = ${chain.id}` : sql`entry.organization_id is null`;
}
