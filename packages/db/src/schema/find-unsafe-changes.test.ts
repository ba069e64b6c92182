import { expect, test } from "vitest";
import { findUnsafeChanges } from "./find-unsafe-changes.ts";
import { describeMigration, readMigrations } from "./read-migrations.ts";

/** First schema that two releases can share. The first release doesn't support later schemas. */
const FIRST_SHARED = 29;

/**
 * Changes that were merged before this rule existed and that were checked manually. Each scans a table once, to check a
 * new column.
 */
const KNOWN = [
  "alter table price_versions add column per_search_pico",
  "alter table usage_events add column searches",
  "alter table teams add column metadata",
];

test("migrations don't break the previous release unless they are marked as contract migrations", () => {
  const shared = readMigrations().filter(({ number }) => number >= FIRST_SHARED);
  const problems = shared.flatMap((migration) =>
    findUnsafeChanges(migration).map((problem) => `${migration.name}: ${problem}`),
  );
  const unknown = problems.filter((problem) => !KNOWN.some((known) => problem.includes(known)));
  expect(unknown).toEqual([]);
  expect(problems).toHaveLength(KNOWN.length);
});

test.each([
  "drop table teams",
  "alter table teams drop column name",
  "alter table teams rename column name to title",
  "alter table teams alter column name type varchar(10)",
  "alter table teams alter column name set not null",
  "alter table teams add column size integer not null",
  "alter table teams add column size integer, add column kind text not null",
  "alter table teams add column size integer not null default 0 check (size >= 0)",
  "alter table teams add column made_at timestamptz default clock_timestamp()",
  "alter table teams add constraint sized check (size > 0)",
  "alter table teams add unique (name)",
  "create index teams_name on teams (name)",
  "create unique index teams_name on teams (name)",
  "alter type event_units drop attribute images",
  "drop function settle_usage",
  "truncate teams",
  "revoke select on teams from tollgate_gateway",
  "lock table teams",
])("rejects in a migration that is not marked as a contract: %s", (sql) => {
  expect(findUnsafeChanges(describe(sql))).not.toEqual([]);
  expect(findUnsafeChanges(describe(`-- contract: runs from schema 40\n${sql}`))).toEqual([]);
});

test.each([
  "create table made (id text primary key check (id <> '')); create index made_id on made (id); alter table made enable row level security",
  "create unlogged table made (id text primary key); create index made_id on made (id)",
  "alter table teams add column size integer not null default 0, add column label text",
  "alter table teams add column made_at timestamptz not null default now()",
  "alter table teams add constraint sized check (size > 0) not valid",
  "alter table teams validate constraint sized",
  "alter table teams alter column name drop not null, drop constraint named",
  "alter type event_units add attribute searches bigint",
  "create or replace function remove() returns void language plpgsql as $$ begin drop table teams; end $$",
  "-- drop table teams\ninsert into notes values ('drop table teams')",
  "revoke execute on function settle_usage from public",
  "create trigger made_is_final before update or truncate on made for each statement execute function refuse()",
  "-- online\ncreate index concurrently teams_name on teams (name)",
])("accepts a change that the previous release can run with: %s", (sql) => {
  expect(findUnsafeChanges(describe(sql))).toEqual([]);
});

const describe = (sql: string) => describeMigration("0040_made", sql);
