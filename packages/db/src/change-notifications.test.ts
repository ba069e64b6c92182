import { createHash } from "node:crypto";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect, onTestFinished } from "vitest";
import { listenForNotices, type Notice, readChangeNotification } from "./change-notifications.ts";
import { blockByOperator } from "./teams/block-by-operator.ts";
import { runInOrganization } from "./tenancy.ts";

const test = base.extend("ear", async ({ database }, { onCleanup }) => {
  const notices: Notice[] = [];
  const losses: Error[] = [];
  const listener = listenForNotices(
    database.connectionString,
    (notice) => notices.push(notice),
    (error) => losses.push(error),
  );
  onCleanup(() => listener.close());
  await listener.listening;
  return { notices, losses };
});

test("a newer or malformed change notification invalidates all cached data", () => {
  expect(readChangeNotification('{"kind":"team","id":"team_1"}')).toEqual({ kind: "team", id: "team_1" });
  expect(readChangeNotification('{"v":1,"kind":"team","id":"team_1"}')).toEqual({ kind: "team", id: "team_1" });
  for (const payload of ['{"v":2,"kind":"team","ids":["team_1"]}', "", "null", '{"kind":'])
    expect(readChangeNotification(payload)).toEqual({ kind: "everything" });
});

test("adding an organization, a team, and a key sends one notification for each, and the key's notification contains its hash", async ({
  database,
  ear,
}) => {
  const tenant = await addTenant(database.connect("tollgate_platform"));
  await expect
    .poll(() => ear.notices)
    .toEqual([
      { kind: "organization", id: tenant.organizationId },
      { kind: "team", id: tenant.teamId },
      { kind: "key", id: tenant.keyId, hashes: [tenant.tokenHash.toString("hex")] },
    ]);
});

test("the notification for a changed secret contains the old and new hashes", async ({ database, ear }) => {
  const platform = database.connect("tollgate_platform");
  const tenant = await addTenant(platform);
  const newHash = createHash("sha256").update("new").digest();
  await runInOrganization(platform, tenant.organizationId, (transaction) =>
    transaction.updateTable("api_keys").set({ token_hash: newHash }).where("id", "=", tenant.keyId).execute(),
  );
  const hashes = [tenant.tokenHash.toString("hex"), newHash.toString("hex")].sort();
  await expect.poll(() => ear.notices.at(-1)).toEqual({ kind: "key", id: tenant.keyId, hashes });
});

test("a block sends a notification, but a key's last use does not", async ({ database, ear }) => {
  const platform = database.connect("tollgate_platform");
  const tenant = await addTenant(platform);
  await runInOrganization(platform, tenant.organizationId, async (transaction) => {
    await transaction
      .updateTable("api_keys")
      .set({ last_used_at: new Date() })
      .where("id", "=", tenant.keyId)
      .execute();
    await blockByOperator(transaction, tenant.teamId, new Date());
  });
  await expect.poll(() => ear.notices.length).toBe(4);
  expect(ear.notices.at(-1)).toEqual({ kind: "team", id: tenant.teamId });
});

test("the listener reconnects after the connection breaks and reports that notifications may have been missed", async ({
  database,
  ear,
}) => {
  const killer = database.connect("tollgate_platform");
  await sql`reset role`.execute(killer);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
             where application_name = 'tollgate notices' and datname = current_database()`.execute(killer);
  await expect.poll(() => ear.losses.length).toBe(1);
  await expect.poll(() => ear.notices).toEqual([{ kind: "everything" }]);
  const tenant = await addTenant(database.connect("tollgate_platform"));
  await expect.poll(() => ear.notices.at(-1)).toMatchObject({ kind: "key", id: tenant.keyId });
});

/** Opens a proxy that forwards the bytes of each connection after a delay, like a server on a busy computer. */
async function openSlowProxy(connectionString: string, delayMs: number): Promise<string> {
  const database = new URL(connectionString);
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    const upstream = connect(Number(database.port), database.hostname);
    client.once("close", () => upstream.destroy());
    const forward = setTimeout(() => pipeline(client, upstream, client, () => {}), delayMs);
    client.once("close", () => clearTimeout(forward));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  const own = new URL(connectionString);
  own.port = String((server.address() as AddressInfo).port);
  return own.href;
}

test("the first connection may take longer than a reconnection, without a warning", async ({ database }) => {
  const losses: Error[] = [];
  const proxy = await openSlowProxy(database.connectionString, 2_500);
  const listener = listenForNotices(
    proxy,
    () => {},
    (error) => losses.push(error),
  );
  await listener.listening;
  expect(losses).toEqual([]);
  await listener.close();
});

test("a listener can be closed before its first connection", async ({ database }) => {
  const losses: Error[] = [];
  const proxy = await openSlowProxy(database.connectionString, 3_600_000);
  const listener = listenForNotices(
    proxy,
    () => {},
    (error) => losses.push(error),
  );
  await listener.close();
  expect(losses).toEqual([]);
});
