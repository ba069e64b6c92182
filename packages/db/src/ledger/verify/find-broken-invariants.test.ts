import type { AdmissionPolicy } from "@tollgate/domain/credit/admission.ts";
import type { Tenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import { closeDay, dropClosedPartitions, listDaysToClose } from "../usage-partitions.ts";
import { findBrokenInvariants, type VerifyOptions, type VerifyReport } from "./find-broken-invariants.ts";
import { type LedgerHistory, writeHistory } from "./ledger-history.fixture.ts";
import { verifyBroken, WITHOUT_GUARDS } from "./verify-broken.fixture.ts";

const test = base
  .extend("history", { scope: "file" }, ({ database }) => writeHistory(database))
  .extend("worker", { scope: "file" }, ({ database }) => database.connect("tollgate_worker"));

/** The broken invariants except those of the chains, which notice most changes of rows; their tests are separate. */
const broken = (report: VerifyReport) =>
  report.checks.filter(({ ok, id }) => !ok && !/^C\d/.test(id)).map(({ id }) => id);

test("a history with every kind of entry and call passes verification, and its debt is explained", async ({
  history: { debtor, events },
  worker,
}) => {
  const report = await findBrokenInvariants(worker);
  expect(report.checks.flatMap(({ differences }) => differences)).toEqual([]);
  expect(report.ok).toBe(true);
  const lost = events
    .filter(({ isBilled }) => isBilled)
    .flatMap(({ loss, lostAttempts }) => [loss, ...lostAttempts.map(({ cost }) => cost)]);
  expect(report.operatorLoss).toBe(lost.reduce((sum, amount) => sum + amount, 0n));
  expect(report.operatorLoss).toBeGreaterThan(0n);
  expect(report.totals).toMatchObject({ organizations: 3n, events: BigInt(events.length), purchases: 2n, leases: 4n });
  const expensive = events.find(({ organizationId }) => organizationId === debtor.organizationId);
  expect(report.explained).toEqual([
    {
      organizationId: debtor.organizationId,
      kind: "cost above its hold",
      subject: expensive?.id,
      amount: (expensive?.cost ?? 0n) - (expensive?.hold ?? 0n),
    },
  ]);
});

const PURCHASE = "pur_00000000000000000000000000";

const insertPurchase = (organizationId: string) => `insert into purchases
  (id, organization_id, created_by, idempotency_key, body_digest, provider, amount, status, paid_at)
  values ('${PURCHASE}', '${organizationId}', 1, 'x', sha256(''), 'fake', 10000000, 'paid', now())`;

/** Posts an entry without the purchase or the audit entry that belongs to it. */
const postEntry = (kind: string, { organizationId }: Pick<Tenant, "organizationId">, more: string) =>
  `set local role tollgate_worker;
   select post_entry('${kind}', '${organizationId}', 10000000, 'minted', ${more}, 'system', '{}', null);
   reset role`;

interface Break {
  readonly what: string;
  readonly sql: (history: LedgerHistory) => string;
  readonly fails: readonly string[];
  readonly options?: VerifyOptions;
}

const breaks: readonly Break[] = [
  {
    what: "a balance changed by hand",
    sql: ({ payer }) => `alter table organization_quota drop constraint organization_quota_check;
      update organization_quota set balance = balance + 1 where organization_id = '${payer.organizationId}'`,
    fails: ["R1", "R8"],
  },
  { what: "an account removed", sql: () => "delete from ledger_accounts where id = 'ext:adjust'", fails: ["R2"] },
  {
    what: "a charged call that names no transaction",
    sql: ({ events }) => `update usage_events set transaction_id = null where id = '${events[0]?.id}'`,
    fails: ["R3"],
  },
  {
    what: "a charged call that names an entry that is not usage",
    sql: ({ events, purchaseId }) => `update usage_events
      set transaction_id = (select id from ledger_transactions where idempotency_key = 'purchase:${purchaseId}')
      where id = '${events[0]?.id}'`,
    fails: ["R3"],
  },
  {
    what: "a usage transaction without calls",
    sql: ({ payer }) => `
      insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
      values ('txn_00000000000000000000000000', 'usage', '${payer.organizationId}', 'usage:none', 'system', 0);
      insert into ledger_postings values
        ('txn_00000000000000000000000000', 1, 'org:${payer.organizationId}:credits', 'sys:revenue', 5);
      update organization_quota set balance = balance - 5, total_used = total_used + 5
      where organization_id = '${payer.organizationId}'`,
    fails: ["R3"],
  },
  {
    what: "a settlement that posts the same sum twice",
    sql: ({ payer }) => `
      insert into ledger_postings
      select transaction_id, 2, source, destination, amount from ledger_postings
      where source = 'org:${payer.organizationId}:credits' and destination = 'sys:revenue' limit 1;
      update organization_quota set balance = balance - posting.amount, total_used = total_used + posting.amount
      from ledger_postings posting where posting.seq = 2 and organization_id = '${payer.organizationId}'`,
    fails: ["R3", "R11", "entries"],
  },
  {
    what: "a call that is there twice, under two days",
    sql: ({ events }) => `
      alter table usage_events drop constraint usage_events_check;
      create temporary table copied as select * from usage_events where id = '${events.at(-2)?.id}';
      update copied set day = '2200-01-01', transaction_id = null, is_billed = false, from_lease = 0;
      insert into usage_events select * from copied`,
    fails: ["R3", "R9", "rollups"],
  },
  {
    what: "a call that is both settled and parked",
    sql: ({ events }) => `insert into parked_events (id, reason, event) values ('${events[0]?.id}', 'test', '{}')`,
    fails: ["R3"],
  },
  {
    what: "a fifteen-minute sum with one call too many",
    sql: ({
      payer,
    }) => `update usage_rollups set requests = requests + 1 where organization_id = '${payer.organizationId}'
      and bucket_at = (select max(bucket_at) from usage_rollups)`,
    fails: ["rollups"],
  },
  {
    what: "a fifteen-minute sum with a rejected request that no row has",
    sql: ({
      payer,
    }) => `update usage_rollups set rejected = rejected + 1 where organization_id = '${payer.organizationId}'
      and bucket_at = (select max(bucket_at) from usage_rollups)`,
    fails: ["rollups"],
  },
  {
    what: "an event that waits too long",
    sql: () => "update gateway_nodes set oldest_unconfirmed_at = now() - interval '11 minutes'",
    fails: ["R4"],
  },
  {
    what: "more set aside than leases hold",
    sql: () => "update organization_quota set leased = leased + 1",
    fails: ["R5"],
  },
  {
    what: "more of a budget set aside than leases hold",
    sql: () => "update budget_windows set leased = leased + 1",
    fails: ["R5"],
  },
  {
    what: "a lease that was used up by no call",
    sql: () => "update credit_leases set settled = settled + 1, granted = granted + 1",
    fails: ["R5"],
  },
  {
    what: "an active lease of a silent node",
    sql: () => "update gateway_nodes set alive_until = now() - interval '31 seconds'",
    fails: ["R5"],
  },
  {
    what: "a lapsed lease that was never reclaimed",
    sql: () => "update credit_leases set state = 'lapsed', lapsed_at = now() - interval '21 minutes'",
    fails: ["R5"],
  },
  {
    what: "a purchase that no provider paid",
    sql: () => `update ledger_postings set source = 'ext:promo' where source = 'ext:fake'`,
    fails: ["R6"],
  },
  {
    what: "a paid purchase that brought no credit",
    sql: ({ payer }) => insertPurchase(payer.organizationId),
    fails: ["I9", "R6"],
  },
  {
    what: "a refund without a ledger entry",
    sql: ({ purchaseId }) => `update purchases set refunded = refunded + 10000000 where id = '${purchaseId}'`,
    fails: ["I9", "R6"],
  },
  {
    what: "an entry without a posting",
    sql: ({
      payer,
    }) => `insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
      values ('txn_00000000000000000000000000', 'adjustment', '${payer.organizationId}', 'x', 'system', 0)`,
    fails: ["I9", "entries"],
  },
  {
    what: "an active team of an organization with debts",
    sql: ({ debtor }) => `update teams set status = 'active', blocked_reason = null, blocked_at = null
      where organization_id = '${debtor.organizationId}'`,
    fails: ["R7"],
  },
  {
    what: "a team blocked for debts of an organization without any",
    sql: ({ payer }) => `update teams set status = 'blocked', blocked_reason = 'negative_balance', blocked_at = now()
      where organization_id = '${payer.organizationId}'`,
    fails: ["R7"],
  },
  {
    what: "a grant counted as a purchase",
    sql: ({
      payer,
    }) => `update organization_quota set total_granted = total_granted - 7, total_purchased = total_purchased + 7
      where organization_id = '${payer.organizationId}'`,
    fails: ["R8"],
  },
  {
    what: "a budget that has spent more than its calls cost",
    sql: () => "update budget_windows set spent = spent + 1",
    fails: ["R9"],
  },
  {
    what: "a price changed after calls were made",
    sql: () => "update price_versions set input_pico = input_pico + 1000",
    fails: ["R10", "R14"],
  },
  ...["characters", "audio_ms", "images", "searches", "audio_input_tokens", "audio_output_tokens"].map((unit) => ({
    what: `a call with other ${unit} than it had`,
    sql: () => `update usage_events set ${unit} = ${unit} - 1 where ${unit} > 0`,
    fails: ["R10"],
  })),
  ...[
    "per_character_pico",
    "per_second_pico",
    "per_image_pico",
    "per_search_pico",
    "audio_input_pico",
    "tier_input_pico",
  ].map((unit) => ({
    what: `a ${unit} changed after calls were made`,
    sql: () => `update price_versions set ${unit} = ${unit} + 1000000`,
    // No lost attempt has enough tokens for this tier.
    fails: unit === "tier_input_pico" ? ["R10"] : ["R10", "R14"],
  })),
  { what: "a price that is gone", sql: () => "delete from price_versions", fails: ["R10", "R14"] },
  {
    what: "a call with another loss than it had",
    sql: () => "update usage_events set loss = loss + 1 where loss > 0 and day = (select max(day) from usage_events)",
    fails: ["R10", "R13"],
  },
  {
    what: "a loss that is gone from a call whose cost was raised instead",
    sql: () => `update usage_events set cost = cost + loss, loss = 0, loss_transaction_id = null
      where loss > 0 and day = (select max(day) from usage_events)`,
    fails: ["R3", "R9", "R13", "rollups"],
  },
  {
    what: "a loss that names no entry",
    sql: () => "update usage_events set loss_transaction_id = null where loss > 0",
    fails: ["R13", "R14"],
  },
  {
    what: "a loss entry of a call without a loss",
    sql: ({ events }) => `update usage_events
      set loss_transaction_id = (select max(id) from ledger_transactions where kind = 'loss') where id = '${events[0]?.id}'`,
    fails: ["R14"],
  },
  {
    what: "a lost attempt that is gone",
    sql: () =>
      `delete from lost_attempts where ctid = (select min(ctid) from lost_attempts where transaction_id is not null)`,
    fails: ["R13"],
  },
  {
    what: "a lost attempt with another cost",
    sql: () => "update lost_attempts set cost = cost + 1 where transaction_id is not null and seq = 2",
    fails: ["R13", "R14"],
  },
  ...["input_tokens", "audio_input_tokens", "characters", "audio_ms", "images", "searches"].map((unit) => ({
    what: `a lost attempt with other ${unit} than it had`,
    sql: () => `update lost_attempts set ${unit} = ${unit} - 1 where ${unit} > 0`,
    fails: ["R14"],
  })),
  {
    what: "a lost attempt of a call that does not exist",
    sql: () => `alter table lost_attempts drop constraint lost_attempts_check;
      update lost_attempts set event_id = '01999999-0000-7000-8000-000000000000' where transaction_id is null and seq = 1`,
    fails: ["R14"],
  },
  {
    what: "a lost attempt of a billed call that was not posted",
    sql: () => "update lost_attempts set transaction_id = null where seq = 2",
    fails: ["R13", "R14"],
  },
  {
    what: "a loss entry without calls",
    sql: () => `insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
      values ('txn_00000000000000000000000000', 'loss', null, 'loss:none', 'system', 0);
      insert into ledger_postings values ('txn_00000000000000000000000000', 1, 'sys:loss', 'sys:revenue', 5)`,
    fails: ["R13"],
  },
  {
    what: "a loss entry with another amount",
    sql: () => "update ledger_postings set amount = amount + 1 where source = 'sys:loss'",
    fails: ["R13"],
  },
  {
    what: "a loss that a customer paid for",
    sql: ({ payer }) =>
      `update ledger_postings set source = 'org:${payer.organizationId}:credits' where source = 'sys:loss'`,
    fails: ["R1", "R13", "entries"],
  },
  {
    what: "a loss entry without a posting",
    sql: () => "delete from ledger_postings where source = 'sys:loss'",
    fails: ["R13", "entries"],
  },
  {
    what: "a closed day with a different loss",
    sql: ({ payer }) => `update usage_day_seals set loss = loss + 1 where organization_id = '${payer.organizationId}'`,
    fails: ["R11"],
  },
  ...[
    "update grant_lots set expires_at = '2099-01-01'",
    "update grant_lots set remaining = 0",
    "update grant_lots set remaining = remaining + 1",
    "update grant_lots set remaining = 0, expired_at = now()",
    "delete from grant_lots",
  ].map((change) => ({ what: `a lot after: ${change}`, sql: () => change, fails: ["R11"] })),
  {
    what: "a lot for credit that doesn't expire",
    sql: () => `insert into grant_lots select entry.id, entry.organization_id, 2000000000, 2000000000, now()
      from ledger_transactions entry where kind = 'grant' and not exists (select from grant_lots lot where lot.id = entry.id)`,
    fails: ["R11"],
  },
  { what: "a lot larger than its grant", sql: () => "update grant_lots set amount = amount + 1", fails: ["R11"] },
  {
    what: "a closed day with different calls",
    sql: ({ payer }) =>
      `update usage_day_seals set digest = sha256('') where organization_id = '${payer.organizationId}'`,
    fails: ["R11"],
  },
  {
    what: "a balance lower than anything explains",
    sql: ({ payer }) => `update ledger_transactions set balance_after = -1000000000000
      where organization_id = '${payer.organizationId}' and kind = 'usage'`,
    fails: ["R12"],
  },
  {
    what: "a debt larger than strict admission and its calls allow",
    sql: ({
      debtor,
    }) => `update usage_events set hold = 100000000000, from_lease = 0 where organization_id = '${debtor.organizationId}';
      update credit_leases set granted = granted - settled, settled = 0 where organization_id = '${debtor.organizationId}';
      update ledger_transactions set balance_after = -3000000000 where organization_id = '${debtor.organizationId}' and kind = 'usage'`,
    fails: ["R12"],
    options: { admission: { policy: "strict", overdraft: 0n } },
  },
  {
    what: "an audit row that is gone",
    sql: ({ debtor }) => `
      select append_audit('${debtor.organizationId}', '{}', 'team.updated', '{}', null, null, null);
      delete from audit_log where seq = 1`,
    fails: ["I10", "I8"],
  },
  {
    what: "an audit row that was changed",
    sql: () => `update audit_log set action = 'team.created' where seq = 1`,
    fails: ["I10", "I8"],
  },
  {
    what: "a grant without an audit entry",
    sql: ({ payer }) => postEntry("grant", payer, "null, null, 'minted'"),
    fails: ["I9"],
  },
  {
    what: "a grant that was raised with every total",
    sql: ({ payer }) => `
      update ledger_postings set amount = amount + 5
       where transaction_id = (select id from ledger_transactions where kind = 'grant' limit 1);
      update grant_lots set amount = amount + 5;
      update organization_quota set balance = balance + 5, total_granted = total_granted + 5
       where organization_id = '${payer.organizationId}'`,
    fails: ["I9", "R11"],
  },
  {
    what: "an audited grant that is gone",
    sql: ({ payer }) => `
      delete from ledger_postings where transaction_id = (select id from grant_lots);
      delete from ledger_transactions where id = (select id from grant_lots);
      delete from grant_lots;
      update organization_quota set balance = balance - 3000000000, total_granted = total_granted - 3000000000
       where organization_id = '${payer.organizationId}'`,
    fails: ["I9"],
  },
  {
    what: "a purchase entry without a purchase",
    sql: ({ payer }) => postEntry("purchase", payer, "'ext:fake', null, 'minted'"),
    fails: ["R6"],
  },
  {
    what: "a purchase that was refunded once more",
    sql: ({ payer, purchaseId }) => `${postEntry("refund", payer, `'ext:fake', '${purchaseId}', 'minted'`)};
      update purchases set refunded = refunded + 10000000 where id = '${purchaseId}'`,
    fails: ["I9"],
  },
  {
    what: "an expiry without a lot",
    sql: ({ payer }) => postEntry("expiry", payer, "null, null, 'minted'"),
    fails: ["R11"],
  },
  {
    what: "a purchase that is gone with its entries",
    sql: ({ payer, purchaseId }) => `
      create temporary table gone as select id from ledger_transactions where reference = '${purchaseId}';
      delete from ledger_postings where transaction_id in (select id from gone);
      delete from ledger_transactions where id in (select id from gone);
      delete from webhook_events where purchase_id = '${purchaseId}';
      delete from purchases where id = '${purchaseId}';
      update organization_quota
         set balance = balance - total_purchased + total_refunded, total_purchased = 0, total_refunded = 0
       where organization_id = '${payer.organizationId}'`,
    fails: ["I9"],
  },
  {
    what: "a member who was made an owner",
    sql: () => "update organization_members set role = 'admin'",
    fails: ["I10"],
  },
  {
    what: "a member who was added",
    sql: ({ payer }) =>
      `insert into organization_members (organization_id, user_id, role) values ('${payer.organizationId}', 1, 'owner')`,
    fails: ["I10"],
  },
  { what: "a member who is gone", sql: () => "delete from organization_members", fails: ["I10"] },
  { what: "a team member with another role", sql: () => "update team_members set role = 'member'", fails: ["I10"] },
  { what: "a user with another role", sql: () => "update users set role = 'user'", fails: ["I10"] },
  { what: "a user who was disabled", sql: () => "update users set status = 'disabled'", fails: ["I10"] },
  {
    what: "a user who was added as an administrator",
    sql: () => "insert into users (email, name, role) values ('x@example.org', 'X', 'admin')",
    fails: ["I10"],
  },
  {
    what: "a team that was blocked as by an administrator",
    sql: ({ payer }) => `update teams set status = 'blocked', blocked_reason = 'admin', blocked_at = now()
      where organization_id = '${payer.organizationId}'`,
    fails: ["I10"],
  },
  {
    what: "an audit log that is gone",
    sql: () => "delete from audit_personal; delete from audit_log",
    fails: ["I10", "I9"],
  },
  {
    what: "an organization that is gone",
    sql: ({ payer }) => `delete from organizations where id = '${payer.organizationId}'`,
    fails: ["I11"],
  },
  {
    what: "credit set aside after all calls are settled",
    sql: () => "select 1",
    fails: ["clearing"],
    options: { isDrained: true },
  },
];

test.for(breaks)("finds $what", async ({ sql: statements, fails, options }, { history, worker }) => {
  const report = await verifyBroken(worker, `${WITHOUT_GUARDS}; ${statements(history)}`, options);
  expect(broken(report).sort()).toEqual([...fails].sort());
  expect(report.checks.filter(({ ok }) => !ok).every(({ differences }) => differences.length > 0)).toBe(true);
});

test("a negative balance is checked against the overdraft, or against one hold if it predates the overdraft", async ({
  history: { payer },
  worker,
}) => {
  const ofPayer = `where organization_id = '${payer.organizationId}' and kind = 'usage'`;
  const debt = `${WITHOUT_GUARDS}; update ledger_transactions set balance_after = -1000000000000 ${ofPayer}`;
  const beyond = async (policy: AdmissionPolicy, overdraft: bigint, statements = debt) => {
    const { checks } = await verifyBroken(worker, statements, { admission: { policy, overdraft } });
    return checks.find(({ id }) => id === "R12")?.differences[0]?.amount ?? 0n;
  };
  const depth = await beyond("strict", 0n);
  expect(depth).toBeGreaterThan(0n);
  expect(await beyond("strict", depth - 1n)).toBe(1n);
  expect(await beyond("strict", depth)).toBe(0n);
  // Under the looser policies, the bound is one hold, or the overdraft if that is less.
  const oneHold = depth - (await beyond("positive", depth));
  expect(oneHold).toBeGreaterThan(1n);
  expect(await beyond("positive", oneHold - 1n)).toBe(depth - oneHold + 1n);
  const earlier = `${debt}; update ledger_transactions set created_at = now() - interval '1 year' ${ofPayer}`;
  expect(await beyond("strict", 0n, earlier)).toBe(depth - oneHold);
});

test("a debt from before the overdraft limit may remain but not grow", async ({ history: { payer }, worker }) => {
  const ofPayer = `where organization_id = '${payer.organizationId}'`;
  // The hold of one call explains the debt before the migration. A debt after the migration has no explanation.
  const before = `${WITHOUT_GUARDS};
    update usage_events set hold = 1000000000000 ${ofPayer} and id = (select min(id::text)::uuid from usage_events ${ofPayer});
    update ledger_transactions set created_at = now() - interval '1 year', balance_after = -900000000000 ${ofPayer}`;
  const after = (balance: bigint) => `${before};
    update ledger_transactions set created_at = now(), balance_after = ${balance}
     where id = (select max(id) from ledger_transactions ${ofPayer})`;
  const depthOf = async (balance: bigint) => {
    const { checks } = await verifyBroken(worker, after(balance));
    return checks.find(({ id }) => id === "R12")?.ok;
  };
  expect(await depthOf(-900_000_000_000n)).toBe(true);
  expect(await depthOf(-950_000_000_000n)).toBe(false);
});

/** An upgraded database with an owner and team admin whose roles an earlier release gave without audit entries. */
const upgraded = ({ payer: { organizationId, teamId } }: LedgerHistory) => `${WITHOUT_GUARDS};
  update schema_migrations set applied_at = now() - interval '2 days' where number = 45;
  update schema_migrations set applied_at = now() - interval '1 year' where number < 45;
  insert into users (id, email, name, created_at) values (77, 'owner@example.org', 'Owner', now() - interval '1 year');
  insert into organization_members (organization_id, user_id, role, joined_at)
    values ('${organizationId}', 77, 'owner', now() - interval '1 year');
  insert into team_members (organization_id, team_id, user_id, role, joined_at)
    values ('${organizationId}', '${teamId}', 77, 'admin', now() - interval '1 year')`;

/** Adds an audit entry about the user 77 to the payer's chain. */
const audit = ({ payer }: LedgerHistory, action: string, after: object) =>
  `select append_audit('${payer.organizationId}', '{}', '${action}', '{"type":"user","id":"77"}', null, null,
     '${JSON.stringify(after)}')`;

test("entries about a member's teams say nothing about roles that an earlier release gave without an entry", async ({
  history,
  worker,
}) => {
  const { organizationId, teamId } = history.payer;
  expect(broken(await verifyBroken(worker, upgraded(history)))).toEqual([]);
  const joined = `${upgraded(history)};
    insert into teams (id, organization_id, name) values ('team_00000000000000000000000000', '${organizationId}', 'New');
    insert into team_members (organization_id, team_id, user_id, role) values ('${organizationId}', 'team_00000000000000000000000000', 77, 'member');
    ${audit(history, "member.added", { teamId: "team_00000000000000000000000000", role: "member" })};
    ${audit(history, "member.added", { teamId, role: "member" })}`;
  expect(broken(await verifyBroken(worker, joined))).toEqual([]);
  // A role change says the role of any member.
  const changed = `${joined}; ${audit(history, "member.role_changed", { role: "admin" })}`;
  expect(broken(await verifyBroken(worker, changed))).toEqual(["I10"]);
  // A member who joined with the team has the role of the entry.
  const later = `${joined}; update organization_members set joined_at = now() where user_id = 77`;
  expect(broken(await verifyBroken(worker, later))).toEqual(["I10"]);
});

/** Posts a refund of a purchase without an audit entry, as releases before migration 45 post partial refunds. */
const refundUnaudited = ({ payer }: LedgerHistory, purchaseId: string, key: string) => `
  set local role tollgate_worker;
  select post_entry('refund', '${payer.organizationId}', 10000000, '${key}', 'ext:fake', '${purchaseId}', 'Purchase refunded',
    'system', '{}', null);
  reset role;
  update purchases set refunded = refunded + 10000000 where id = '${purchaseId}'`;

/** Moves the migration after which every refund has an audit entry. */
const auditedFor = (time: string) =>
  `update schema_migrations set applied_at = now() - interval '${time}' where number = 45`;

test("a refund that an earlier release adds to an audited one during an upgrade is no difference", async ({
  history,
  worker,
}) => {
  const refunded = `${upgraded(history)}; ${refundUnaudited(history, history.purchaseId, "refund:second")}`;
  expect(broken(await verifyBroken(worker, `${refunded}; ${auditedFor("1 hour")}`))).toEqual([]);
  expect(broken(await verifyBroken(worker, `${refunded}; ${auditedFor("2 days")}`))).toEqual(["I9"]);
  // The amount must be the one that was posted.
  const raised = `update purchases set refunded = refunded + 1 where id = '${history.purchaseId}'`;
  expect(broken(await verifyBroken(worker, `${refunded}; ${auditedFor("1 hour")}; ${raised}`))).toEqual(["R6", "I9"]);
});

test("two refunds that release 0.1.0 wrote are no difference, and a later one without an entry is", async ({
  history,
  worker,
}) => {
  const { organizationId } = history.payer;
  const audited = (action: string, after: object) =>
    `select append_audit('${organizationId}', '{}', '${action}', '{"type":"purchase","id":"${PURCHASE}"}', null, null,
       '${JSON.stringify(after)}')`;
  const post = (kind: string, key: string, amount: number) =>
    `select post_entry('${kind}', '${organizationId}', ${amount}, '${key}', 'ext:fake', '${PURCHASE}', 'Credits', 'system', '{}', null)`;
  const written = `${upgraded(history)};
    ${insertPurchase(organizationId)};
    update purchases set created_at = now() - interval '1 year', amount = 50000000 where id = '${PURCHASE}';
    ${audited("purchase.created", { amount: 50_000_000, provider: "fake" })};
    set local role tollgate_worker;
    ${post("purchase", `purchase:${PURCHASE}`, 50_000_000)};
    reset role;
    update purchases set transaction_id = (select id from ledger_transactions where idempotency_key = 'purchase:${PURCHASE}')
     where id = '${PURCHASE}';
    ${audited("purchase.paid", { status: "paid" })};
    ${refundUnaudited(history, PURCHASE, "refund:first")};
    ${refundUnaudited(history, PURCHASE, "refund:second")};
    update ledger_transactions set created_at = now() - interval '1 year' where reference = '${PURCHASE}'`;
  expect(broken(await verifyBroken(worker, written))).toEqual([]);
  const later = `${written}; ${refundUnaudited(history, PURCHASE, "refund:third")}`;
  expect(broken(await verifyBroken(worker, later))).toEqual(["I9"]);
  const named = `${later}; ${audited("purchase.refunded", { status: "paid", refunded: 30_000_000 })}`;
  expect(broken(await verifyBroken(worker, named))).toEqual([]);
});

test("overdue work is not reported for a stopped server", async ({ history, worker }) => {
  expect(history.events.length).toBeGreaterThan(0);
  const stopped =
    "update gateway_nodes set alive_until = now() - interval '1 day', oldest_unconfirmed_at = now() - interval '1 day'";
  expect(broken(await verifyBroken(worker, stopped))).toEqual(["R4", "R5"]);
  expect((await verifyBroken(worker, stopped, { isAtRest: true })).ok).toBe(true);
});

test("verifying one organization ignores differences in other organizations", async ({
  history: { payer, debtor },
  worker,
}) => {
  const change = `update organization_quota set leased = leased + 1 where organization_id = '${debtor.organizationId}'`;
  expect((await verifyBroken(worker, change, { organizationId: payer.organizationId })).ok).toBe(true);
  expect(broken(await verifyBroken(worker, change, { organizationId: debtor.organizationId }))).toEqual(["R5"]);
});

test("a dropped day is verified from its closing record and its rollups", async ({
  history: { payer, events },
  worker,
}) => {
  // A database that was created before midnight has an extra day without calls.
  for (const day of await listDaysToClose(worker, 0)) await closeDay(worker, day);
  expect((await dropClosedPartitions(worker, 0)).length).toBeGreaterThan(0);
  const { rows } = await sql<{ left: bigint }>`select count(*) as left from usage_events`.execute(worker);
  expect(rows[0]?.left).toBe(BigInt(events.length - 4));
  const report = await findBrokenInvariants(worker);
  expect(report.checks.flatMap(({ differences }) => differences)).toEqual([]);
  expect(report.totals.events).toBe(BigInt(events.length));
  expect(broken(await verifyBroken(worker, "update usage_day_seals set loss = loss - 1 where loss > 0"))).toEqual([
    "R13",
  ]);
  const change = `update usage_rollups set cost = cost + 1 where organization_id = '${payer.organizationId}'
    and bucket_at = (select min(bucket_at) from usage_rollups)`;
  expect(broken(await verifyBroken(worker, change))).toEqual(["days", "R9", "R11"]);
});
