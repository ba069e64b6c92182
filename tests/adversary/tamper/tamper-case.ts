import type { TamperHistory } from "./write-history.ts";

/** A change that a database superuser makes, and the rule of `ledger verify` that must notice it. */
export interface TamperCase {
  /** Begins with `tamper-`. */
  readonly name: string;
  readonly what: string;
  /** ID of a rule that must report a difference. Others may, too. */
  readonly rule: string;
  readonly isQuick?: boolean;
  /** Statements for a session of a superuser in which no trigger and no foreign key is checked. */
  readonly sql: (history: TamperHistory) => string;
}

/** ID of a transaction that the attacker adds. */
export const MINTED = "txn_00000000000000000000000000";
export const USD = 1_000_000_000n;

export const accountOf = (organizationId: string): string => `org:${organizationId}:credits`;

/** Posts an entry through the ledger's own function, as a worker could. */
export function postEntry(kind: string, organizationId: string, amount: bigint, more = "null, null"): string {
  return `set role tollgate_worker;
    select post_entry('${kind}', '${organizationId}', ${amount}, 'minted', ${more}, 'minted', 'system', '{}', null);
    reset role;`;
}

/** Adds an entry by hand, without the totals. */
export function addEntry(
  kind: string,
  organizationId: string,
  amount: bigint,
  { key = "minted", reference = "null", from = "ext:promo" } = {},
): string {
  return `insert into ledger_transactions (id, kind, organization_id, idempotency_key, reference, actor, balance_after)
      select '${MINTED}', '${kind}', organization_id, '${key}', ${reference}, 'system', balance + ${amount}
        from organization_quota where organization_id = '${organizationId}';
    insert into ledger_postings values ('${MINTED}', 1, '${from}', '${accountOf(organizationId)}', ${amount});`;
}

/** Changes a balance together with one of its totals. */
export function addToBalance(organizationId: string, total: string, amount: bigint): string {
  const sign = ["total_used", "total_refunded", "total_expired"].includes(total) ? "-" : "+";
  return `update organization_quota set balance = balance + ${amount}, ${total} = ${total} ${sign} ${amount}, version = version + 1
    where organization_id = '${organizationId}';`;
}

/**
 * Lowers the cost and the input tokens of a request in concert with everything that follows from them: the posting, the
 * balance, the rollups of every length, and the budget.
 */
export function reduceRequest(
  eventId: string,
  { tokens, cost }: { readonly tokens: number; readonly cost: number },
): string {
  return `
    create temporary table changed as
      select organization_id, coalesce(team_id, '') as team, key_id, model_group, coalesce(provider, '') as maker, transaction_id,
          time_of_event(id) as at
        from usage_events where id = '${eventId}';
    update ledger_postings posting set amount = amount - ${cost} from changed where posting.transaction_id = changed.transaction_id;
    update organization_quota quota set balance = balance + ${cost}, total_used = total_used - ${cost}
      from changed where quota.organization_id = changed.organization_id;
    update budget_windows budget set spent = spent - ${cost} from changed
     where budget.organization_id = changed.organization_id and budget.scope_id = changed.key_id;
    ${Object.entries(ROLLUP_TIMES)
      .map(
        ([
          table,
          at,
        ]) => `update ${table} rolled set cost = cost - ${cost}, input_tokens = input_tokens - ${tokens} from changed
     where rolled.organization_id = changed.organization_id and rolled.team_id = changed.team
       and rolled.key_id = changed.key_id and rolled.model_group = changed.model_group
       and rolled.provider = changed.maker and ${at};`,
      )
      .join("\n")}
    update usage_events set cost = cost - ${cost}, input_tokens = input_tokens - ${tokens} where id = '${eventId}';`;
}

/** 100 input tokens at the price of the history's model. */
export const REDUCTION = { tokens: 100, cost: 250_000 };

/** Condition for the row of each table of rollups that contains the changed request. */
const ROLLUP_TIMES = {
  usage_rollups: "bucket_at = date_bin('15 minutes', changed.at, 'epoch')",
  usage_hours: "hour_at = date_trunc('hour', changed.at, 'UTC')",
  usage_days: "day = (changed.at at time zone 'UTC')::date",
};

/** Computes every hash of a chain again, as the audit log's own function does. */
export function rehashAudit(organizationId: string | null): string {
  const chain = organizationId === null ? "organization_id is null" : `organization_id = '${organizationId}'`;
  return `do $$
    declare
      entry    audit_log;
      previous bytea;
      number   bigint := 0;
    begin
      for entry in select * from audit_log where ${chain} order by seq loop
        number := number + 1;
        update audit_log set seq = number, previous_hash = previous,
            hash = audit_hash(previous, id, organization_id, number, at, actor, action, target, request_id, before, after)
         where id = entry.id
        returning hash into previous;
      end loop;
    end $$;`;
}
