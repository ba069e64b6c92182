import { accountOf, MINTED, REDUCTION, reduceRequest, type TamperCase } from "./tamper-case.ts";

/** Requests, prices, leases, budgets, rollups, and losses. */
export const usageCases: readonly TamperCase[] = [
  {
    name: "tamper-request-cost",
    what: "a request made cheaper with its posting, balance, budget, and rollups",
    rule: "R10",
    isQuick: true,
    sql: ({ requestId }) => reduceRequest(requestId, { tokens: 0, cost: 1_000 }),
  },
  {
    name: "tamper-usage-posting",
    what: "a usage posting lowered with the balance",
    rule: "R3",
    sql: ({ payer: { organizationId } }) => {
      const entry = `(select max(id) from ledger_transactions where kind = 'usage' and organization_id = '${organizationId}')`;
      return `update ledger_postings set amount = amount - 1000 where transaction_id = ${entry};
        update organization_quota set balance = balance + 1000, total_used = total_used - 1000
         where organization_id = '${organizationId}'`;
    },
  },
  {
    name: "tamper-request-deleted",
    what: "a request deleted",
    rule: "R3",
    sql: ({ requestId }) => `delete from usage_events where id = '${requestId}'`,
  },
  {
    name: "tamper-transaction-deleted",
    what: "a usage transaction deleted with its requests, posting, and totals",
    rule: "rollups",
    sql: ({ requestId }) => `
      create temporary table gone as select transaction_id as id, organization_id from usage_events where id = '${requestId}';
      create temporary table sums as
        select gone.organization_id, posting.amount from ledger_postings posting join gone on gone.id = posting.transaction_id;
      update organization_quota quota set balance = balance + amount, total_used = total_used - amount
        from sums where sums.organization_id = quota.organization_id;
      delete from usage_events where transaction_id = (select id from gone);
      delete from ledger_postings where transaction_id = (select id from gone);
      delete from ledger_transactions where id = (select id from gone)`,
  },
  {
    name: "tamper-request-unbilled",
    what: "a request marked as not billed",
    rule: "R3",
    sql: ({ requestId }) =>
      `update usage_events set is_billed = false, transaction_id = null, from_lease = 0 where id = '${requestId}'`,
  },
  {
    name: "tamper-request-key",
    what: "a request moved to another key",
    rule: "rollups",
    sql: ({ requestId, debtor }) => `update usage_events set key_id = '${debtor.keyId}' where id = '${requestId}'`,
  },
  {
    name: "tamper-request-status",
    what: "a request marked as failed",
    rule: "rollups",
    sql: ({ requestId }) => `update usage_events set status = 'failure', http_status = 500 where id = '${requestId}'`,
  },
  {
    name: "tamper-request-organization",
    what: "a request moved to another organization",
    rule: "R3",
    sql: ({ requestId, signedUp }) =>
      `update usage_events set organization_id = '${signedUp.organizationId}' where id = '${requestId}'`,
  },
  {
    name: "tamper-usage-organization",
    what: "a usage transaction moved to another organization with its requests, posting, and both balances",
    rule: "rollups",
    sql: ({ requestId, signedUp }) => `
      create temporary table moved as select transaction_id as id, organization_id as former from usage_events where id = '${requestId}';
      update ledger_transactions set organization_id = '${signedUp.organizationId}' where id = (select id from moved);
      create temporary table sums as
        select former, amount from ledger_postings posting join moved on moved.id = posting.transaction_id;
      update ledger_postings set source = '${accountOf(signedUp.organizationId)}' where transaction_id = (select id from moved);
      update usage_events set organization_id = '${signedUp.organizationId}' where transaction_id = (select id from moved);
      update organization_quota quota set balance = balance + amount, total_used = total_used - amount
        from sums where sums.former = quota.organization_id;
      update organization_quota quota set balance = balance - amount, total_used = total_used + amount
        from sums where quota.organization_id = '${signedUp.organizationId}'`,
  },
  {
    name: "tamper-request-day",
    what: "a request moved to another day",
    rule: "R3",
    sql: ({ closedRequestId }) =>
      `alter table usage_events drop constraint usage_events_check;
      update usage_events set day = (select max(day) from usage_events) where id = '${closedRequestId}'`,
  },
  {
    name: "tamper-closed-request",
    what: "a request of a closed day made smaller with its cost, posting, balance, budget, and rollups",
    rule: "R11",
    sql: ({ closedRequestId }) => reduceRequest(closedRequestId, REDUCTION),
  },
  {
    name: "tamper-rollup-day",
    what: "a rollup moved to another day",
    rule: "rollups",
    sql: () =>
      "update usage_rollups set bucket_at = bucket_at - interval '2 days' where bucket_at = (select max(bucket_at) from usage_rollups)",
  },
  {
    name: "tamper-invoice",
    what: "the daily sums behind an invoice lowered",
    rule: "days",
    sql: ({ payer }) => `update usage_days set cost = cost - 1000 where organization_id = '${payer.organizationId}'`,
  },
  {
    name: "tamper-price",
    what: "a price version changed",
    rule: "R10",
    sql: ({ priceVersionId }) =>
      `update price_versions set output_pico = output_pico / 2 where id = '${priceVersionId}'`,
  },
  {
    name: "tamper-price-with-usage",
    what: "a price version rewritten with the costs of all its requests",
    rule: "R10",
    sql: ({ priceVersionId }) => `
      update price_versions set input_pico = 0, output_pico = 0, cache_read_pico = 0 where id = '${priceVersionId}';
      update usage_events set cost = 0, loss = 0, from_lease = 0, loss_transaction_id = null, transaction_id = null
       where price_version_id = '${priceVersionId}'`,
  },
  {
    name: "tamper-price-deleted",
    what: "a price version deleted",
    rule: "R10",
    sql: ({ priceVersionId }) => `delete from price_versions where id = '${priceVersionId}'`,
  },
  {
    name: "tamper-loss",
    what: "an operator's loss removed from a request and its entry",
    rule: "R13",
    sql: () => "update usage_events set loss = 0, loss_transaction_id = null where loss > 0",
  },
  {
    name: "tamper-lost-attempt",
    what: "a lost attempt deleted",
    rule: "R13",
    sql: () => "delete from lost_attempts where transaction_id is not null",
  },
  {
    name: "tamper-lost-attempt-provider",
    what: "a lost attempt blamed on another provider",
    rule: "C3",
    sql: () => "update lost_attempts set provider = 'other' where transaction_id is not null",
  },
  {
    name: "tamper-loss-dated-back",
    what: "an operator's loss added with an attempt of a request, dated back, and chained by the worker",
    rule: "C2",
    sql: () => `
      create temporary table added as
        select attempt.* from lost_attempts attempt join usage_events event on event.id = attempt.event_id
         where event.is_billed order by attempt.seq desc limit 1;
      update added set seq = seq + 1, transaction_id = '${MINTED}', created_at = created_at - interval '1 month';
      insert into ledger_transactions (id, kind, idempotency_key, actor, balance_after, created_at)
        select '${MINTED}', 'loss', 'loss:' || gen_random_uuid(), 'system', 0, created_at from added;
      insert into ledger_postings select '${MINTED}', 1, 'sys:loss', 'sys:revenue', cost from added;
      insert into lost_attempts select * from added;
      insert into unchained_transactions (transaction_id, created_at) select '${MINTED}', created_at from added;
      select chain_earlier_transactions(50)`,
  },
  {
    name: "tamper-lease",
    what: "a lease that requests did not use",
    rule: "R5",
    sql: ({ payer }) => `update credit_leases set settled = settled + 1000, granted = granted + 1000
      where organization_id = '${payer.organizationId}'`,
  },
  {
    name: "tamper-leased",
    what: "credit reserved that no lease holds",
    rule: "R5",
    sql: ({ payer }) =>
      `update organization_quota set leased = leased + 1000 where organization_id = '${payer.organizationId}'`,
  },
  {
    name: "tamper-budget",
    what: "the spend of a budget lowered",
    rule: "R9",
    sql: ({ payer }) =>
      `update budget_windows set spent = spent - 1000 where organization_id = '${payer.organizationId}'`,
  },
  {
    name: "tamper-days-dropped",
    what: "a day closed and dropped early, and its sums moved to another model",
    rule: "C8",
    sql: () => `
      select seal_day(day) from (select distinct day from usage_events where day < current_date) as past;
      select drop_sealed_partitions(0);
      update usage_rollups set model_group = 'other' where bucket_at < current_date;
      update usage_hours set model_group = 'other' where hour_at < current_date;
      update usage_days set model_group = 'other' where day < current_date`,
  },
  {
    name: "tamper-closed-day",
    what: "the record of a closed day replaced",
    rule: "R11",
    sql: ({ payer }) =>
      `update usage_day_seals set cost = cost - 1000 where organization_id = '${payer.organizationId}'`,
  },
];
