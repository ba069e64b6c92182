import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { cloneDatabase, createEmptyDatabase, querySql } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { addPayingTenant, addTestPrice, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { sql } from "kysely";
import { Client } from "pg";
import { expect, onTestFinished } from "vitest";
import type { Database } from "../../connect.ts";
import { migrate } from "../../migrate.ts";
import { readMigrations } from "../../schema/read-migrations.ts";
import { chainEarlierTransactions, hasUnchainedTransactions } from "../chain-earlier-transactions.ts";
import { postEntry } from "../post-entry.ts";
import { settleUsage } from "../settle-usage.ts";
import { closeDay, dropClosedPartitions, ensureUsagePartitions, listDaysToClose } from "../usage-partitions.ts";
import { findBrokenInvariants, type VerifyReport } from "./find-broken-invariants.ts";
import { type LedgerHistory, writeHistory } from "./ledger-history.fixture.ts";
import { verifyBroken, WITHOUT_GUARDS } from "./verify-broken.fixture.ts";

const test = base
  .extend("history", { scope: "file" }, ({ database }) => writeHistory(database))
  .extend("worker", { scope: "file" }, ({ database }) => database.connect("tollgate_worker"));

const brokenChains = (report: VerifyReport) =>
  report.checks.filter(({ ok, id }) => !ok && /^C\d/.test(id)).map(({ id }) => id);

interface Tampering {
  readonly what: string;
  readonly sql: (history: LedgerHistory) => string;
  readonly fails: readonly string[];
}

const ofEntry = ({ purchaseId }: LedgerHistory) => `where idempotency_key = 'purchase:${purchaseId}'`;
const ofCall = ({ events }: LedgerHistory) => `where id = '${events[5]?.id}'`;
const ofFreeCall = ({ events }: LedgerHistory) => `where id = '${events.find(({ isBilled }) => !isBilled)?.id}'`;

const tamperings: readonly Tampering[] = [
  ...[
    "balance_after = balance_after + 1",
    "created_at = created_at - interval '1 year'",
    "actor = 'other'",
    "description = 'other'",
    `metadata = '{"other": true}'`,
    "idempotency_key = 'purchase:other'",
    "reference = 'other'",
    "kind = 'grant'",
  ].map((change) => ({
    what: `a transaction with ${change}`,
    sql: (history: LedgerHistory) => `update ledger_transactions set ${change} ${ofEntry(history)}`,
    // An entry is chained when it is posted.
    fails: change.startsWith("created_at") ? ["C1", "C2"] : ["C1"],
  })),
  {
    what: "a posting with another amount",
    sql: (history) => `update ledger_postings set amount = amount + 1 where transaction_id
      = (select id from ledger_transactions ${ofEntry(history)})`,
    fails: ["C1"],
  },
  {
    what: "a transaction that is gone",
    sql: (history) => `delete from ledger_transactions ${ofEntry(history)}`,
    fails: ["C2"],
  },
  {
    what: "a transaction that is gone with its chain entry",
    sql: (
      history,
    ) => `delete from ledger_chain where transaction_id = (select id from ledger_transactions ${ofEntry(history)});
      delete from ledger_transactions ${ofEntry(history)}`,
    fails: ["C2"],
  },
  {
    what: "the last chain entry removed",
    sql: ({ debtor }) => `delete from ledger_chain where (organization_id, seq) = (
        select organization_id, chain_seq from organization_quota where organization_id = '${debtor.organizationId}')`,
    fails: ["C2", "C3"],
  },
  {
    what: "a transaction that was inserted by hand",
    sql: ({ payer }) => `
      insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
      values ('txn_00000000000000000000000000', 'grant', '${payer.organizationId}', 'by hand', 'system', 0)`,
    fails: ["C2"],
  },
  {
    what: "a transaction that was inserted by hand and waits for the worker",
    sql: ({ payer }) => `
      insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
      values ('txn_00000000000000000000000000', 'grant', '${payer.organizationId}', 'by hand', 'system', 0);
      insert into unchained_transactions values ('txn_00000000000000000000000000', '${payer.organizationId}', now())`,
    fails: ["C2"],
  },
  {
    what: "a transaction that was dated back before it was chained",
    sql: ({ payer }) => `
      insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after, created_at)
      values ('txn_00000000000000000000000000', 'grant', '${payer.organizationId}', 'by hand', 'system', 0,
        now() - interval '1 year');
      select chain_transaction('txn_00000000000000000000000000')`,
    fails: ["C2"],
  },
  {
    what: "a chain entry that was computed again after a change",
    sql: (history) => `
      update ledger_transactions set actor = 'other' ${ofEntry(history)};
      update ledger_chain c set hash = ledger_chain_hash(c.previous_hash, c.organization_id, c.seq, c.created_at, c.salt,
          transaction_facts(t, c.salt), c.usage_count, c.usage_since, c.usage_digest)
        from ledger_transactions t where t.id = c.transaction_id and t.idempotency_key = 'purchase:${history.purchaseId}'`,
    fails: ["C2"],
  },
  ...[
    "state = 'void'",
    "ended_at = ended_at - interval '1 hour'",
    "settled_at = settled_at + interval '1 second'",
    "request_id = 'other'",
    "end_user = 'other'",
    "session = 'other'",
    "user_id = '17'",
    "key_id = 'other'",
    "team_id = null",
    "model_group = 'other'",
    "input_tokens = input_tokens + 1",
    "latency_ms = latency_ms + 1",
    "price_version_id = null",
  ].flatMap((change) => [
    {
      what: `a billed request with ${change}`,
      sql: (history: LedgerHistory) => `update usage_events set ${change} ${ofCall(history)}`,
      fails: ["C3"],
    },
    {
      what: `an unbilled request with ${change}`,
      sql: (history: LedgerHistory) => `update usage_events set ${change} ${ofFreeCall(history)}`,
      fails: ["C3"],
    },
  ]),
  {
    what: "a request that is gone",
    sql: (history) => `delete from usage_events ${ofFreeCall(history)}`,
    fails: ["C3"],
  },
  {
    what: "a request that was inserted by hand",
    sql: (history) => `
      create temporary table copied as select * from usage_events ${ofFreeCall(history)};
      update copied set id = overlay(id::text placing '000000000000' from 25)::uuid, chain_seq = null, settled_at = now();
      insert into usage_events select * from copied`,
    fails: ["C3"],
  },
  {
    what: "a text changed behind an erasure",
    sql: (history) => `
      insert into ledger_erasures (usage_id, digest) values ('${history.events[5]?.id}', sha256(''));
      update usage_events set end_user = 'other' ${ofCall(history)}`,
    fails: ["C3"],
  },
];

test.for(tamperings)("notices $what", async ({ sql: statements, fails }, { history, worker }) => {
  const report = await verifyTampered(worker, statements(history));
  expect(brokenChains(report)).toEqual(fails);
  expect(report.checks.filter(({ ok }) => !ok).every(({ differences }) => differences.length > 0)).toBe(true);
});

test("a purchase whose record was changed is noticed", async ({ history: { payer }, worker }) => {
  const id = "pur_00000000000000000000000001";
  const posted = `
    insert into purchases (id, organization_id, created_by, idempotency_key, body_digest, provider, amount)
      values ('${id}', '${payer.organizationId}', 1, 'x', sha256(''), 'fake', 10000000);
    set local role tollgate_worker;
    select post_entry('purchase', '${payer.organizationId}', 10000000, 'purchase:${id}', 'ext:fake', '${id}', null, 'system',
      '{}', null);
    reset role`;
  const after = async (change: string) => brokenChains(await verifyTampered(worker, `${posted}; ${change}`));
  expect(await after("select 1")).toEqual([]);
  expect(await after("update purchases set amount = amount + 10000000")).toEqual(["C1"]);
  expect(await after("update purchases set created_by = 2")).toEqual(["C1"]);
  expect(await after("delete from purchases")).toEqual(["C1"]);
  // What becomes of a purchase later is not part of its entry.
  expect(await after("update purchases set status = 'disputed'")).toEqual([]);
});

test("without a session, a request has the digest that entries from before sessions cover", async ({ worker }) => {
  const id = "01999999-0000-7000-8000-000000000001";
  const { rows } = await sql`
    select usage_texts_digest('\\x01', ${id}, 'label', 'ann', null) = sha256('\\x01'::bytea
             || record_send(row(${id}::uuid, 'label'::text, 'ann'::text))) as "isSame",
           usage_texts_digest('\\x01', ${id}, ${id}, null, null) as empty,
           length(usage_texts_digest('\\x01', ${id}, ${id}, null, 's')) as bytes`.execute(worker);
  expect(rows).toEqual([{ isSame: true, empty: Buffer.alloc(0), bytes: 32 }]);
});

test("an erased text leaves its digest, and verification accepts it", async ({ history, worker }) => {
  const erased = `
    update usage_events set request_id = 'a label', end_user = 'jane@example.com', session = 'Jane 7' ${ofCall(history)};
    update ledger_chain c set usage_digest = s.digest, hash = ledger_chain_hash(c.previous_hash, c.organization_id, c.seq,
        c.created_at, c.salt, transaction_facts(t, c.salt), c.usage_count, c.usage_since, s.digest)
      from ledger_transactions t, (
        select organization_id, chain_seq, sha256(string_agg(usage_facts(e) || usage_texts_digest(
            (select salt from ledger_chain l where (l.organization_id, l.seq) = (e.organization_id, e.chain_seq)),
            e.id, e.request_id, e.end_user, e.session), ''::bytea order by e.id)) as digest
          from usage_events e group by 1, 2
      ) s where t.id = c.transaction_id and (s.organization_id, s.chain_seq) = (c.organization_id, c.seq)`;
  const labeled = await verifyTampered(worker, erased);
  expect(labeled.checks.find(({ id }) => id === "C3")?.differences).toEqual([]);
  const report = await verifyTampered(
    worker,
    `${erased}; select erase_usage_texts(array[(select id from usage_events ${ofCall(history)})]);
     do $$ begin if exists (select from usage_events where end_user is not null or session is not null) then raise 'not erased'; end if; end $$`,
  );
  expect(report.checks.find(({ id }) => id === "C3")?.differences).toEqual([]);
});

test("lost attempts are the ones that were posted, unless an earlier build chained their loss", async ({
  history: { events },
  worker,
}) => {
  const posted = events.filter(({ isBilled }) => isBilled).flatMap(({ lostAttempts }) => lostAttempts).length;
  const c3 = async (...statements: string[]) => {
    const report = await verifyTampered(worker, ["select chain_earlier_transactions(50)", ...statements].join(";"));
    expect(report.checks.find(({ id }) => id === "C1")?.differences).toEqual([]);
    return report.checks
      .find(({ id }) => id === "C3")
      ?.differences.map(({ found }) => found.replace(/[0-9a-f]{64}/, "…"));
  };
  const first =
    "(day, event_id, seq) = (select day, event_id, seq from lost_attempts where transaction_id is not null limit 1)";
  expect(await c3()).toEqual([]);
  for (const change of ["provider = 'other'", "deployment_id = 'other'", "reason = 'upstream'", "cost = cost + 1"]) {
    expect(await c3(`update lost_attempts set ${change} where ${first}`)).toEqual([`${posted} lost attempts, …`]);
  }
  expect(await c3(`delete from lost_attempts where ${first}`)).toEqual([`${posted - 1} lost attempts, …`]);
  expect(await c3(`update lost_attempts set created_at = created_at - interval '1 hour' where ${first}`)).toEqual([
    `${posted} lost attempts, …, of another time`,
  ]);
  const withoutDigest = `update ledger_chain c set usage_count = 0, usage_digest = null,
      hash = ledger_chain_hash(c.previous_hash, c.organization_id, c.seq, c.created_at, c.salt, transaction_facts(t, c.salt),
        0, null, null) from ledger_transactions t where t.id = c.transaction_id and c.organization_id = 'instance'`;
  expect(await c3(withoutDigest)).toEqual([]);
});

test("chains of concurrent settlements and entries are linear", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const worker = database.connect("tollgate_worker");
  const gateway = database.connect("tollgate_gateway");
  await addTestPrice(worker);
  const tenants = await Promise.all(Array.from({ length: 4 }, () => addTenant(platform, { credit: 10n ** 9n })));
  const batches = Array.from({ length: 8 }, (_, batch) =>
    Array.from({ length: 20 }, (_, index) => makeUsageEvent(tenants[(batch + index) % 4] as Tenant, BigInt(index % 3))),
  );
  await Promise.all([
    ...batches.map((events, index) => settleUsage(index % 2 === 0 ? worker : gateway, events)),
    // Replays and entries of another kind append concurrently.
    ...batches.map((events) => settleUsage(worker, events)),
    ...tenants.flatMap(({ organizationId }, tenant) =>
      [1, 2].map((turn) =>
        postEntry(worker, {
          organizationId,
          actor: "system",
          kind: "adjustment",
          amount: 5n,
          idempotencyKey: `concurrent:${tenant}:${turn}`,
        }),
      ),
    ),
  ]);
  expect(brokenChains(await findBrokenInvariants(worker))).toEqual([]);
  const { rows } = await sql<{ entries: bigint; requests: bigint }>`
    select count(*) as entries, sum(usage_count) as requests from ledger_chain
     where organization_id = ${tenants[0]?.organizationId}`.execute(worker);
  expect(BigInt(rows[0]?.requests ?? 0)).toBe(BigInt((8 * 20) / 4));
  // A replay appends nothing: the first credit, two adjustments, and at most one entry per batch.
  expect(rows[0]?.entries).toBeLessThanOrEqual(BigInt(1 + 2 + 8));
});

test("dropping closed days leaves the chains verified", async ({ history, worker }) => {
  for (const day of await listDaysToClose(worker, 0)) await closeDay(worker, day);
  expect((await dropClosedPartitions(worker, 0)).length).toBeGreaterThan(0);
  expect(brokenChains(await findBrokenInvariants(worker))).toEqual([]);
  const change = `update ledger_chain set usage_digest = sha256('') where usage_since < (select max(usage_since) from ledger_chain)`;
  expect(brokenChains(await verifyTampered(worker, change))).toEqual(["C1"]);
  // The rows of an entry that also has rows of a dropped day are only covered by the records of their days.
  const others = `update usage_events set state = 'void' where id = '${history.events.at(-1)?.id}'`;
  expect(brokenChains(await verifyTampered(worker, others))).toEqual(["C3"]);
});

test("rows of kept days that are added to entries of dropped days are noticed", async () => {
  const database = await cloneDatabase();
  onTestFinished(() => database.drop());
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const atMs = Date.now() - 3 * DAY_MS;
  const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  await ensureUsagePartitions(worker, dayOf(3), dayOf(0));
  const past = [5n, 7n].map((cost) => makeUsageEvent(tenant, cost, { id: makeUuidV7(atMs) }));
  await settleUsage(worker, past);
  // Settled together with a request of the dropped day.
  const spanning = [makeUsageEvent(tenant, 3n, { id: makeUuidV7(atMs) }), makeUsageEvent(tenant, 3n)];
  await settleUsage(worker, spanning);
  const dropped = `
    select seal_day(day_of_event('${past[0]?.id}')); select drop_sealed_partitions(2);
    do $$ begin if oldest_usage_day() < '${dayOf(2)}' then raise 'not dropped'; end if; end $$`;
  const seqOf = async (id = "") => {
    const { rows } = await sql<{ seq: bigint }>`select chain_seq as seq from usage_events where id = ${id}`.execute(
      worker,
    );
    return rows[0]?.seq ?? 0n;
  };
  const [pastSeq, spanningSeq] = [await seqOf(past[0]?.id), await seqOf(spanning[0]?.id)];
  /** The entry was made on the day of its requests, as in a history of several days. */
  const dated = `update ledger_transactions t set created_at = c.created_at - interval '3 days'
      from ledger_chain c where c.transaction_id = t.id and c.seq = ${pastSeq}`;
  const forged = (seq: bigint, times: number) => `
    create temporary table copied as select * from usage_events where id = '${spanning[1]?.id}';
    update copied set chain_seq = ${seq};
    insert into usage_events select (jsonb_populate_record(copied,
        jsonb_build_object('id', overlay(id::text placing lpad(n::text, 12, '0') from 25)))).*
      from copied, generate_series(1, ${times}) n`;
  const c3 = async (...statements: string[]) => {
    const { checks } = await verifyTampered(worker, [dropped, ...statements].join(";"));
    return checks.find(({ id }) => id === "C3")?.differences.map(({ found }) => found.replace(/ until .*/, "")) ?? [];
  };
  expect(await c3()).toEqual([]);
  expect(await c3(dated)).toEqual([]);
  expect(await c3(dated, forged(pastSeq, 1))).toEqual(["1 requests, which began"]);
  // As many as the entry has, at a time at which it could have had them.
  expect(await c3(forged(pastSeq, 2))).toEqual(["2 requests, which began"]);
  expect(await c3(forged(spanningSeq, 1))).toEqual(["2 requests, which began"]);
});

test("transactions that the previous release writes during an upgrade are appended before they count as missing", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  await querySql(database.connectionString, UPGRADED);
  const [former, current] = postEntryFunctions();
  await querySql(database.connectionString, former);
  await postEntry(worker, {
    organizationId: tenant.organizationId,
    actor: "system",
    kind: "adjustment",
    amount: 5n,
    idempotencyKey: "previous release",
  });
  await querySql(database.connectionString, current);
  expect(await countUnchained(worker)).toBe(1n);
  expect(brokenChains(await findBrokenInvariants(worker))).toEqual([]);
  await chainEarlierTransactions(worker);
  expect(await countUnchained(worker)).toBe(0n);
  expect(brokenChains(await findBrokenInvariants(worker))).toEqual([]);
});

test("the migration of a database with history leaves its transactions to the worker", async () => {
  const migrations = readMigrations();
  const target = await createEmptyDatabase();
  onTestFinished(() => target.drop());
  await migrate(target.connectionString, { migrations: migrations.filter(({ number }) => number < 46) });
  const id = "00000000-0000-7000-8000-000000000000";
  await querySql(
    target.connectionString,
    `select set_config('tollgate.administrator', 'on', false);
     alter table organizations disable trigger user;
     insert into organizations (id, name) values ('org_00000000000000000000000001', 'Earlier');
     alter table organizations enable trigger user;
     insert into organization_quota (organization_id, balance, total_granted) values ('org_00000000000000000000000001', 5, 5);
     insert into ledger_accounts (id, organization_id, may_be_negative)
       values ('org:org_00000000000000000000000001:credits', 'org_00000000000000000000000001', true);
     insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
       values ('txn_00000000000000000000000001', 'grant', 'org_00000000000000000000000001', 'earlier', 'system', 5);
     insert into ledger_postings values ('txn_00000000000000000000000001', 1, 'ext:promo',
       'org:org_00000000000000000000000001:credits', 5);
     insert into usage_events (id, day, organization_id, key_id, request_id, endpoint, model_group, is_stream, status,
         http_status, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, usage_source,
         cost, is_billed, hold, from_lease, node_id, epoch, latency_ms, ended_at)
       values ('${id}', day_of_event('${id}'), 'org_00000000000000000000000001', 'key', 'earlier', 'e', 'm', false,
         'success', 200, 1, 0, 0, 1, 0, 'reported', 0, false, 0, 0, 'node', 1, 1, now())`,
  );
  await migrate(target.connectionString);
  const worker = target.connect("tollgate_worker");
  expect(brokenChains(await findBrokenInvariants(worker, { isAtRest: true }))).toEqual([]);
  expect(await hasUnchainedTransactions(worker)).toBe(true);
  expect(await chainEarlierTransactions(worker)).toBe(1);
  expect(await countUnchained(worker)).toBe(0n);
  expect(brokenChains(await findBrokenInvariants(worker, { isAtRest: true }))).toEqual([]);
  const inserted = `
    insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after, created_at)
      values ('txn_00000000000000000000000002', 'grant', 'org_00000000000000000000000001', 'by hand', 'system', 0,
        now() + interval '1 hour')`;
  expect(brokenChains(await verifyTampered(worker, inserted))).toEqual(["C2"]);
});

test("a chain starts with the transactions from before it, and covers their requests", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const events = [makeUsageEvent(tenant, 5n), makeUsageEvent(tenant, 7n)];
  await settleUsage(worker, events);
  await querySql(database.connectionString, `${UPGRADED}; ${UNCHAINED}`);
  await settleUsage(worker, [makeUsageEvent(tenant, 3n)]);
  expect(brokenChains(await findBrokenInvariants(worker))).toEqual([]);
  await chainEarlierTransactions(worker);
  expect(brokenChains(await findBrokenInvariants(worker))).toEqual([]);
  expect(
    brokenChains(await verifyTampered(worker, `update usage_events set user_id = '9' where id = '${events[0]?.id}'`)),
  ).toEqual(["C3"]);
});

test("appending an earlier transaction locks only the days of its requests", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const nowMs = Date.now();
  const dayOf = (days: number) => new Date(nowMs + days * DAY_MS).toISOString().slice(0, 10);
  await ensureUsagePartitions(worker, dayOf(-60), dayOf(0));
  // A late request, and one of a gateway whose clock is far ahead.
  const daysOff = [-3, 0, 90];
  await settleUsage(
    worker,
    daysOff.map((days) => makeUsageEvent(tenant, 5n, { id: makeUuidV7(nowMs + days * DAY_MS) })),
  );
  await querySql(database.connectionString, `${UPGRADED}; ${UNCHAINED}`);
  const locked = await worker.transaction().execute(async (transaction) => {
    await sql`select chain_earlier_transactions(200)`.execute(transaction);
    const { rows } = await sql<{ number: bigint }>`
      select count(*) as number from pg_locks join pg_class on pg_class.oid = relation
       where pid = pg_backend_pid() and relkind = 'r' and relname ~ '^usage_events_\\d'`.execute(transaction);
    return rows[0]?.number;
  });
  // From the day of the first request to the last day that had a partition when it was settled.
  expect(locked).toBeLessThanOrEqual(BigInt(3 + 1 + 8));
  const { rows } = await sql`select max(usage_count) as requests from ledger_chain
    where organization_id = ${tenant.organizationId}`.execute(worker);
  expect(rows).toEqual([{ requests: 3 }]);
  expect(brokenChains(await findBrokenInvariants(worker))).toEqual([]);
});

test("a long history is appended in several runs, so that a worker can stop", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  for (let index = 0; index < 60; index += 1) await settleUsage(worker, [makeUsageEvent(tenant, 1n)]);
  await querySql(database.connectionString, `${UPGRADED}; ${UNCHAINED}`);
  // The migration missed one.
  await querySql(
    database.connectionString,
    "delete from unchained_transactions where created_at = (select max(created_at) from unchained_transactions)",
  );
  const waiting = await countUnchained(worker);
  expect(await chainEarlierTransactions(worker, 0)).toBe(50);
  expect(await countUnchained(worker)).toBe(waiting - 50n);
  await chainEarlierTransactions(worker);
  expect(await countUnchained(worker)).toBe(0n);
  expect(brokenChains(await findBrokenInvariants(worker))).toEqual([]);
});

test("an erasure and the appending of its transaction wait for each other", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const event = makeUsageEvent(tenant, 5n, { requestId: "a label" });
  await settleUsage(worker, [event]);
  await querySql(database.connectionString, `${UPGRADED}; ${UNCHAINED}`);
  const owner = new Client({ connectionString: database.connectionString });
  await owner.connect();
  onTestFinished(() => owner.end());
  await owner.query("begin");
  await owner.query("select erase_usage_texts(array[$1::uuid])", [event.id]);
  let isAppended = false;
  const appending = chainEarlierTransactions(worker).finally(() => {
    isAppended = true;
  });
  await waitFor("the worker to wait for the erasure, or to end", async () => {
    const { rows } = await owner.query(
      `select from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and not granted and datname = current_database()`,
    );
    return isAppended || rows.length > 0;
  });
  await owner.query("commit");
  await appending;
  expect(brokenChains(await findBrokenInvariants(worker))).toEqual([]);
});

/** Makes the chains start as in a database that was upgraded a moment ago. */
const UPGRADED = `
  alter table ledger_chain_start disable trigger user;
  update ledger_chain_start set since = now() + interval '10 minutes';
  alter table ledger_chain_start enable trigger user`;

/** Leaves what the migration finds: no chain, and every transaction is waiting. */
const UNCHAINED = `
  alter table ledger_chain disable trigger user; delete from ledger_chain; alter table ledger_chain enable trigger user;
  update usage_events set chain_seq = null; update organization_quota set chain_seq = 0, chain_hash = null;
  delete from unchained_transactions;
  insert into unchained_transactions select id, organization_id, created_at from ledger_transactions`;

const DAY_MS = 86_400_000;

const countUnchained = async (worker: Database): Promise<bigint> => {
  const { rows } = await sql<{ number: bigint }>`
    select count(*) as number from ledger_transactions t
     where t.organization_id is not null
       and not exists (select from ledger_chain c where c.transaction_id = t.id)`.execute(worker);
  return rows[0]?.number ?? 0n;
};

/** Returns the function that posts entries as the previous release has it, without the chain, and as this build has it. */
function postEntryFunctions(): readonly [string, string] {
  const current = readFileSync(join(import.meta.dirname, "../../../functions/post_entry.sql"), "utf8");
  return [current.replace("  perform chain_transaction(new_id);\n", ""), current];
}

/** Verifies the ledger after a superuser has run these statements, then rolls them back. */
const verifyTampered = (worker: Database, statements: string): Promise<VerifyReport> =>
  verifyBroken(worker, `${WITHOUT_GUARDS}; ${statements}`);
