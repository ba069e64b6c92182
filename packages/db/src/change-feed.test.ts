// cspell:ignore catalogue
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { sql } from "kysely";
import { Client } from "pg";
import { expect, onTestFinished } from "vitest";
import { type FeedPosition, pruneChangeFeed, readChangeFeed } from "./change-feed.ts";

const test = base.extend("feed", async ({ database }) => {
  const gateway = database.connect("tollgate_gateway");
  const tenant = await addTenant(database.connect("tollgate_platform"));
  let position: FeedPosition = (await readChangeFeed(gateway, null)).position;
  return {
    gateway,
    tenant,
    /** Returns the changes since the last call, and remembers where this read ended. */
    readOn: async () => {
      const page = await readChangeFeed(gateway, position);
      position = page.position;
      return page.changes;
    },
    readSince: async (since: FeedPosition) => (await readChangeFeed(gateway, since)).changes,
    position: () => position,
    change: (text: string) => querySql(database.connectionString, `set tollgate.administrator = 'on'; ${text}`),
  };
});

const everything = [{ kind: "everything" }];

test("a change is returned once, without a notification", async ({ feed }) => {
  expect(await feed.readOn()).toEqual([]);
  await feed.change(`update teams set name = 'Green' where id = '${feed.tenant.teamId}'`);
  expect(await feed.readOn()).toEqual([{ kind: "team", id: feed.tenant.teamId }]);
  expect(await feed.readOn()).toEqual([]);
});

test("a transaction that commits after later ones is not skipped", async ({ database, feed }) => {
  const { organizationId, teamId } = feed.tenant;
  const slow = new Client({ connectionString: database.connectionString });
  await slow.connect();
  onTestFinished(() => slow.end());
  await slow.query("set tollgate.administrator = 'on'; begin");
  await slow.query(`update teams set name = 'Slow' where id = '${teamId}'`);
  await feed.change(`update organizations set name = 'Quick' where id = '${organizationId}'`);
  expect(await feed.readOn()).toEqual([{ kind: "organization", id: organizationId }]);
  await feed.change(`update organizations set name = 'Quicker' where id = '${organizationId}'`);
  await slow.query("commit");
  const changes = [
    { kind: "organization", id: organizationId },
    { kind: "team", id: teamId },
  ];
  expect(new Set(await feed.readOn())).toEqual(new Set(changes));
  expect(await feed.readOn()).toEqual([]);
});

test("a change that is rolled back is not returned", async ({ feed }) => {
  await feed.change(`begin; update teams set name = 'Never' where id = '${feed.tenant.teamId}'; rollback`);
  expect(await feed.readOn()).toEqual([]);
});

test("everything may have changed if the earlier read is unknown or of another server", async ({ feed }) => {
  expect((await readChangeFeed(feed.gateway, null)).changes).toEqual(everything);
  const position = feed.position();
  expect(await feed.readSince({ ...position, server: "another" })).toEqual(everything);
  // A promoted standby can lack the last transactions of its primary, and uses their IDs again.
  expect(await feed.readSince({ ...position, snapshot: "4000000000:4000000000:" })).toEqual(everything);
  expect(await feed.readSince(position)).toEqual([]);
});

test("everything may have changed after the server recovered from a crash, which uses transaction IDs again", async ({
  feed,
}) => {
  const position = feed.position();
  const { rows } = await sql`select from pg_class where relname = 'change_feed_state' and relpersistence = 'u'`.execute(
    feed.gateway,
  );
  // Recovery empties unlogged tables.
  expect(rows).toHaveLength(1);
  await feed.change("truncate change_feed_state");
  expect(await feed.readSince(position)).toEqual(everything);
  expect(await feed.readOn()).toEqual(everything);
  expect(await feed.readOn()).toEqual([]);
});

test.for([
  { kind: "key", most: 1_000 },
  { kind: "team", most: 20 },
])("more than $most changes of a $kind are a change of everything", async ({ kind, most }, { feed }) => {
  const send = (number: number) =>
    feed.change(`select record_change(json_build_object('kind', '${kind}', 'id', 'x' || n, 'hashes', '[]'::json))
      from generate_series(1, ${number}) as n`);
  await send(most);
  expect(await feed.readOn()).toHaveLength(most);
  await send(most + 1);
  expect(await feed.readOn()).toEqual(everything);
});

test("a read goes through a limited number of changes that an open transaction keeps in reach", async ({
  database,
  feed,
}) => {
  const open = new Client({ connectionString: database.connectionString });
  await open.connect();
  onTestFinished(() => open.end());
  await open.query("begin; select pg_current_xact_id()");
  // Changes of earlier tests count while a transaction of another database is open.
  await feed.change("delete from change_feed");
  await feed.readOn();
  const add = (number: number) =>
    feed.change(`insert into change_feed (change) select '{"kind":"catalogue"}' from generate_series(1, ${number})`);
  await add(9_900);
  expect(await feed.readOn()).toEqual([{ kind: "catalog" }]);
  expect(await feed.readOn()).toEqual([]);
  await add(200);
  expect(await feed.readOn()).toEqual(everything);
  await open.query("commit");
  await waitFor("other transactions of the server to end", async () => (await feed.readOn()).length === 0);
});

test("changes are deleted after an hour", async ({ database, feed }) => {
  const worker = database.connect("tollgate_worker");
  await feed.change(`update teams set name = 'Blue' where id = '${feed.tenant.teamId}'`);
  expect(await pruneChangeFeed(worker)).toBe(0);
  await feed.change("update change_feed set created_at = now() - interval '61 minutes'");
  // Open transactions of other databases count, too.
  await waitFor("changes to be deleted", async () => (await pruneChangeFeed(worker)) > 0);
  await waitFor("a complete read", async () => (await feed.readOn()).length === 0);
});

test("if a change was deleted before it was read, everything may have changed", async ({ database, feed }) => {
  const worker = database.connect("tollgate_worker");
  const slow = new Client({ connectionString: database.connectionString });
  await slow.connect();
  onTestFinished(() => slow.end());
  // The transaction began more than an hour before it commits.
  await slow.query("set tollgate.administrator = 'on'; begin");
  await slow.query(`update teams set name = 'Slow' where id = '${feed.tenant.teamId}'`);
  await slow.query("update change_feed set created_at = now() - interval '61 minutes'");
  await feed.readOn();
  await slow.query("commit");
  await waitFor("the change to be deleted", async () => (await pruneChangeFeed(worker)) > 0);
  expect(await feed.readOn()).toEqual(everything);
});
