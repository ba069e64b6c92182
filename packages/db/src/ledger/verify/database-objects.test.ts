import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { readMigrations } from "../../schema/read-migrations.ts";
import { namesOfTables } from "./database-objects.ts";
import { findBrokenInvariants, type VerifyReport, verifySnapshot } from "./find-broken-invariants.ts";
import type { Difference } from "./invariant.ts";
import { type LedgerHistory, writeHistory } from "./ledger-history.fixture.ts";
import { verifyBroken, WITHOUT_GUARDS } from "./verify-broken.fixture.ts";

const test = base
  .extend("history", { scope: "file" }, ({ database }) => writeHistory(database))
  .extend("worker", { scope: "file" }, ({ database }) => database.connect("tollgate_worker"));

const objects = (report: VerifyReport): readonly Difference[] =>
  report.checks.find(({ id }) => id === "C7")?.differences ?? [];

const CHAIN_HASH = `ledger_chain_hash(
  previous bytea, of_organization text, seq bigint, created_at timestamptz, salt bytea, facts bytea, usage_count integer,
  usage_since date, usage_digest bytea) returns bytea`;

interface Replacement {
  readonly what: string;
  readonly sql: (history: LedgerHistory) => string;
  readonly subject: string;
  readonly found: RegExp;
}

const replacements: readonly Replacement[] = [
  {
    what: "a hash function that returns the stored hash, behind a changed description",
    sql: () => `
      create or replace function ${CHAIN_HASH} language sql stable parallel safe return (
        select hash from ledger_chain e where e.organization_id = of_organization and e.seq = ledger_chain_hash.seq);
      update ledger_transactions set description = 'other' where id = (select id from grant_lots limit 1)`,
    subject: "function ledger_chain_hash",
    found: /^another body$/,
  },
  {
    what: "a digest of usage rows without the user",
    sql: () => `
      create or replace function usage_texts_digest(salt bytea, id uuid, request_id text, end_user text, session text)
        returns bytea language sql stable parallel safe return ''::bytea`,
    subject: "function usage_texts_digest",
    found: /^another body$/,
  },
  {
    what: "a function whose body has another language",
    sql: () => `
      create or replace function oldest_usage_day() returns date language plpgsql stable
        as $$ begin return current_date; end $$`,
    subject: "function oldest_usage_day",
    found: /^another body, language$/,
  },
  {
    what: "a function in PL/pgSQL with another body",
    sql: () => `
      create or replace function tollgate_refuse_change() returns trigger language plpgsql
        as $$ begin return new; end $$`,
    subject: "function tollgate_refuse_change",
    found: /^another body/,
  },
  {
    what: "a function with another volatility",
    sql: () => "alter function chained_since() immutable",
    subject: "function chained_since",
    found: /^another volatility$/,
  },
  {
    what: "a function that returns nothing for empty arguments",
    sql: () => "alter function usage_facts(usage_events) strict",
    subject: "function usage_facts",
    found: /^another strictness$/,
  },
  {
    what: "a function with the rights of its caller",
    sql: () => "alter function post_entry security invoker",
    subject: "function post_entry",
    found: /^another security$/,
  },
  {
    what: "a function that searches another schema first",
    sql: () => "create schema other; alter function post_entry set search_path = other, public",
    subject: "function post_entry",
    found: /^another settings$/,
  },
  {
    what: "a function with a setting",
    sql: () => "alter function transaction_facts set enable_seqscan = off",
    subject: "function transaction_facts",
    found: /^another settings$/,
  },
  {
    what: "a function that is gone",
    sql: () => "drop function list_new_calls",
    subject: "function list_new_calls",
    found: /^none$/,
  },
  {
    what: "a function that is preferred for other argument types",
    sql: () => `create function day_of_event(id text) returns date language sql return date '2020-01-01'`,
    subject: "function day_of_event(text)",
    found: /^a function of the same name/,
  },
  {
    what: "a function that is preferred to one of PostgreSQL",
    sql: () => `create function encode(value bytea, form name) returns text language sql return ''`,
    subject: "function encode(bytea,name)",
    found: /^a function of the same name/,
  },
  {
    what: "an operator that is preferred to one of PostgreSQL",
    sql: () => `
      create function joined(left_part text, right_part bigint) returns text language sql return 'x';
      create operator || (leftarg = text, rightarg = bigint, function = joined)`,
    subject: "operator ||(text,bigint)",
    found: /^an operator of the same name/,
  },
  {
    what: "a view in place of a table",
    sql: () => `
      alter table audit_log rename to audit_rows;
      create view audit_log as select * from audit_rows;
      grant select on audit_log to tollgate_worker`,
    subject: "audit_log",
    found: /^a view$/,
  },
  {
    what: "a view in place of a table whose rows functions take",
    sql: () => `
      alter table usage_events rename to usage_rows;
      create view usage_events as select * from usage_rows;
      grant select on usage_events to tollgate_worker`,
    subject: "usage_events",
    found: /^a view$/,
  },
  {
    what: "a rule of a table",
    sql: () => "create rule other as on insert to audit_log do instead nothing",
    subject: "rule other of audit_log",
    found: /^a rule$/,
  },
  {
    what: "a restrictive row policy",
    sql: () => `
      create policy other on ledger_transactions as restrictive for select to tollgate_worker
        using (current_setting('application_name') <> 'tollgate ledger')`,
    subject: "policy other of ledger_transactions",
    found: /^a policy that hides rows$/,
  },
  {
    what: "a row policy with a condition in place of the one without",
    sql: () => "alter policy worker_reaches_all on ledger_postings using (amount > 0)",
    subject: "policies of ledger_postings",
    found: /^none$/,
  },
];

test.for(replacements)("notices $what", async ({ sql: statements, subject, found }, { history, worker }) => {
  const report = await verifyBroken(worker, `${WITHOUT_GUARDS}; ${statements(history)}`);
  expect(report.ok).toBe(false);
  expect(objects(report)).toContainEqual(
    expect.objectContaining({ subject, found: expect.stringMatching(found) as string }),
  );
});

test("an unchanged database has no difference, and verification leaves no function behind", async ({
  database,
  history: _history,
  worker,
}) => {
  expect(objects(await findBrokenInvariants(worker))).toEqual([]);
  const left = "select count(*)::int as number from pg_proc where pronamespace::regnamespace::text like 'pg_temp%'";
  expect(await querySql(database.connectionString, left)).toEqual([{ number: 0 }]);
});

test("the statements of verification run in a read-only transaction with a search path of their own", async ({
  history: _history,
  worker,
}) => {
  const settings = `
    set local search_path = other, public;
    create schema other;
    grant usage on schema other to tollgate_worker;
    create view other.audit_log as select * from public.audit_log where false;
    grant select on other.audit_log to tollgate_worker`;
  // The first schema of the session's path is taken for Tollgate's, but lacks its functions and types.
  const report = await verifyBroken(worker, settings);
  expect(objects(report).map(({ subject }) => subject)).toEqual(["functions", "audit_log", "other checks"]);
  await worker.transaction().execute(async (transaction) => {
    await verifySnapshot(transaction, {});
    const { rows } =
      await sql`select current_setting('search_path') as path, current_setting('transaction_read_only') as "readOnly",
      current_user::text as role`.execute(transaction);
    expect(rows).toEqual([{ path: "pg_catalog, public, pg_temp", readOnly: "on", role: "tollgate_worker" }]);
  });
});

test("functions that another release applied are a difference that names the release", async ({
  history: _history,
  worker,
}) => {
  const later = `update schema_functions set release = '99.0.0', checksum = 'x' where name in ('usage_facts', 'post_loss');
    alter function usage_facts(usage_events) volatile`;
  expect(objects(await verifyBroken(worker, later))).toEqual([
    {
      organizationId: null,
      subject: "functions post_loss, usage_facts",
      expected: `functions of release ${manifest.version}`,
      found: "functions of release 99.0.0, which were not compared: verify with that release",
      amount: null,
    },
  ]);
  const unapplied = `update schema_functions set checksum = 'x' where name = 'usage_facts';
    alter function usage_facts(usage_events) volatile`;
  expect(objects(await verifyBroken(worker, unapplied))).toMatchObject([{ subject: "function usage_facts" }]);
});

test("knows every table of the schema", async ({ database, history: _history }) => {
  const rows = await querySql<{ name: string }>(
    database.connectionString,
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  expect(rows.map(({ name }) => name).filter((name) => !namesOfTables(readMigrations()).includes(name))).toEqual([]);
});
