import { billingUnits, countedUnits } from "@tollgate/domain/pricing/billing-units.ts";
import { test } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import { findMissingUnits } from "../../generate/unit-lists.ts";
import type { Database } from "../connect.ts";

test("the database has a column for the counter and the price of each unit", async ({ database }) => {
  const columns = await readColumns(database.connect("tollgate_worker"));
  const expected = billingUnits.flatMap(({ name, column, priceColumn }) => [
    `usage_events.${column}`,
    `lost_attempts.${column}`,
    `event_units.${name}`,
    `price_versions.${priceColumn}`,
  ]);
  expect(expected.filter((column) => !columns.has(column))).toEqual([]);
});

test("each SQL function that lists billing units lists all of them", async ({ database }) => {
  const functions = await readFunctions(database.connect("tollgate_worker"));
  const listing = functions.filter(({ text }) =>
    countedUnits.some(({ column, price }) => mentions(text, [column, price])),
  );
  // If these functions were not found, the check would pass without checking anything.
  expect(listing.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "assess_events",
      "ensure_price_versions",
      "price_of_call",
      "price_version_id",
      "settle_usage",
    ]),
  );
  expect(listing.flatMap(({ name, text }) => findMissingUnits(name, text))).toEqual([]);
});

async function readColumns(db: Database): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ column: string }>`
    select class.relname || '.' || attribute.attname as column
      from pg_class as class join pg_attribute as attribute on attribute.attrelid = class.oid
     where class.relnamespace = current_schema()::regnamespace and attribute.attnum > 0 and not attribute.attisdropped
       and attribute.atttypid = 'bigint'::regtype`.execute(db);
  return new Set(rows.map(({ column }) => column));
}

/** Reads every function. Of several definitions with one name, only the one with the most parameters is current. */
async function readFunctions(db: Database): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const { rows } = await sql<{ name: string; text: string }>`
    select distinct on (proname) proname as name, pg_get_functiondef(oid) as text
      from pg_proc
     where pronamespace = current_schema()::regnamespace and prokind = 'f'
     order by proname, pronargs desc`.execute(db);
  return rows;
}

function mentions(text: string, names: readonly string[]): boolean {
  return new RegExp(`\\b(?:${names.join("|")})\\b`).test(text);
}
