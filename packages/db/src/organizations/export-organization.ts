import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export const exportSections = [
  "members",
  "teams",
  "teamMembers",
  "keys",
  "budgets",
  "purchases",
  "transactions",
  "usage",
] as const;
type ExportSection = (typeof exportSections)[number];

export type ExportRow = Readonly<Record<string, unknown>>;

const PAGE_ROWS = 1_000;

/**
 * Reads the next rows of one section of an organization's export. Every bigint is an amount. Rows contain no secrets
 * and no data from other organizations.
 */
export async function readExportPage(
  transaction: TenantTransaction,
  organizationId: string,
  section: ExportSection,
  after: string,
): Promise<{ readonly rows: readonly ExportRow[] /** Null at the end. */; readonly next: string | null }> {
  const { rows } = await sections[section](organizationId, after).execute(transaction);
  // Usage is paged by month, regardless of the number of rows.
  const isLast = section === "usage" ? rows.length === 0 : rows.length < PAGE_ROWS;
  return { rows: rows.map(({ cursor: _, ...row }) => row), next: isLast ? null : (rows.at(-1)?.cursor ?? null) };
}

type SectionQuery = (organizationId: string, after: string) => RawBuilder<ExportRow & { readonly cursor: string }>;

const sections: Readonly<Record<ExportSection, SectionQuery>> = {
  members: (organizationId, after) => sql`
    select lpad(m.user_id::text, 10, '0') as cursor, m.user_id as "userId", u.email, u.name, m.role,
      m.joined_at as "joinedAt"
    from organization_members m join users u on u.id = m.user_id
    where m.organization_id = ${organizationId} and m.user_id > ${after === "" ? 0 : Number(after)}
    order by m.user_id limit ${PAGE_ROWS}`,
  teams: (organizationId, after) => sql`
    select id as cursor, id, name, status, blocked_reason as "blockedReason", models::text[], rpm_limit as rpm,
      tpm_limit as tpm, max_parallel_requests as "maxParallel", created_at as "createdAt", deleted_at as "deletedAt"
    from teams where organization_id = ${organizationId} and id > ${after}
    order by id limit ${PAGE_ROWS}`,
  teamMembers: (organizationId, after) => sql`
    select team_id || lpad(user_id::text, 10, '0') as cursor, team_id as "teamId", user_id as "userId", role,
      joined_at as "joinedAt"
    from team_members
    where organization_id = ${organizationId} and (team_id || lpad(user_id::text, 10, '0')) collate "C" > ${after}
    order by (team_id || lpad(user_id::text, 10, '0')) collate "C" limit ${PAGE_ROWS}`,
  keys: (organizationId, after) => sql`
    select id as cursor, id, name, team_id as "teamId", user_id as "createdBy", prefix || '…' || last_four as token,
      models::text[], rpm_limit as rpm, tpm_limit as tpm, max_parallel_requests as "maxParallel",
      created_at as "createdAt", expires_at as "expiresAt", disabled_at as "disabledAt", revoked_at as "revokedAt"
    from api_keys where organization_id = ${organizationId} and id > ${after}
    order by id limit ${PAGE_ROWS}`,
  budgets: (organizationId, after) => sql`
    select scope || scope_id as cursor, scope, scope_id as "scopeId", amount as "limit", period
    from budgets where organization_id = ${organizationId} and (scope || scope_id) collate "C" > ${after}
    order by (scope || scope_id) collate "C" limit ${PAGE_ROWS}`,
  purchases: (organizationId, after) => sql`
    select id as cursor, id, created_by as "createdBy", provider, status, amount, fee, tax, refunded, currency,
      paid_at as "paidAt", created_at as "createdAt"
    from purchases where organization_id = ${organizationId} and id > ${after}
    order by id limit ${PAGE_ROWS}`,
  transactions: (organizationId, after) => sql`
    select t.id as cursor, t.id, t.kind, t.reference, t.description, t.created_at as "createdAt",
      (select sum(case when p.destination = 'org:' || t.organization_id || ':credits' then p.amount else -p.amount end)::bigint
        from ledger_postings p where p.transaction_id = t.id) as amount,
      t.balance_after as "balanceAfter"
    from ledger_transactions t where t.organization_id = ${organizationId} and t.id > ${after}
    order by t.id limit ${PAGE_ROWS}`,
  usage: (organizationId, after) => sql`
    with months as (
      select date_trunc('month', least(
        (select min(bucket_at) from usage_rollups where ${fromCursor(organizationId, after)}),
        (select min(bucket_at) from refused_rollups where ${fromCursor(organizationId, after)})
      ), 'UTC') as month
    ), next as (
      select month from months where month is not null
    ), sums as (
      select next.month, r.bucket_at, r.team_id, r.key_id, r.model_group, r.requests,
        r.requests - r.errors - r.canceled as succeeded, r.errors - r.rejected as failed, 0::bigint as refused, r.rejected,
        r.canceled, r.input_tokens, r.output_tokens, r.cost
      from next join usage_rollups r on r.organization_id = ${organizationId}
        and r.bucket_at >= next.month and r.bucket_at < next.month + interval '1 month'
      union all
      select next.month, r.bucket_at, r.team_id, r.key_id, r.model_group, r.requests, 0, r.failed,
        r.requests - r.failed - r.rejected - r.canceled, r.rejected, r.canceled, 0, 0, 0
      from next join refused_rollups r on r.organization_id = ${organizationId}
        and r.bucket_at >= next.month and r.bucket_at < next.month + interval '1 month'
    )
    select (month + interval '1 month')::text as cursor, (bucket_at at time zone 'UTC')::date::text as day,
      team_id as "teamId", key_id as "keyId", model_group as model, sum(requests)::float8 as requests,
      sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed, sum(refused)::float8 as refused,
      sum(rejected)::float8 as rejected, sum(canceled)::float8 as canceled, sum(input_tokens)::float8 as "inputTokens",
      sum(output_tokens)::float8 as "outputTokens", sum(cost)::bigint as cost
    from sums group by 1, 2, 3, 4, 5 order by 2, 3, 4, 5`,
};

function fromCursor(organizationId: string, after: string): RawBuilder<boolean> {
  return sql`organization_id = ${organizationId} and bucket_at >= coalesce(nullif(${after}, '')::timestamptz, '-infinity')`;
}
