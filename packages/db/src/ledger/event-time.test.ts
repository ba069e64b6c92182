import { makePrefixedId, makeUuidV7, uuidToCrockford } from "@tollgate/domain/ids.ts";
import { test } from "@tollgate/testkit/test.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { expect } from "vitest";

const QUARTER_MS = 15 * 60_000;

test("reads the time, day, and quarter-hour from an ID, and encodes an ID the way the gateway does", async ({
  database,
}) => {
  const db = database.connect("tollgate_worker");
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: Date.UTC(2_200, 0) }), async (atMs) => {
      const id = makeUuidV7(atMs);
      const { rows } = await sql`
        select time_of_event(${id}) as time, day_of_event(${id})::text as day, bucket_of_event(${id}) as bucket,
               crockford_of(${id}) as spelt`.execute(db);
      expect(rows).toEqual([
        {
          time: new Date(atMs),
          day: new Date(atMs).toISOString().slice(0, 10),
          bucket: new Date(atMs - (atMs % QUARTER_MS)),
          spelt: uuidToCrockford(id),
        },
      ]);
    }),
    { numRuns: 60 },
  );
});

test("generates IDs that contain their creation time", async ({ database }) => {
  const { rows } = await sql<{ id: string; spelt: string }>`
    select id, 'txn_' || crockford_of(id) as spelt from make_uuid_v7() as id`.execute(
    database.connect("tollgate_worker"),
  );
  const { id, spelt } = rows[0] as { id: string; spelt: string };
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(spelt > makePrefixedId("txn", Date.now() - 60_000)).toBe(true);
  expect(spelt < makePrefixedId("txn", Date.now() + 60_000)).toBe(true);
});
