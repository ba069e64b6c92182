import { request as httpRequest } from "node:http";
import { enterOrganization, runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import type { TestUser } from "../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

const path = "/api/gw/api-keys";

function createKey(platform: TestPlatform, user: TestUser, key: string, fields: object = {}) {
  return platform.api("POST", path, {
    token: user.token,
    headers: { "idempotency-key": key },
    body: { name: "ci", team_id: user.teamId, ...fields },
  });
}

async function countKeys(platform: TestPlatform, user: TestUser): Promise<number> {
  return (await platform.api("GET", "/api/api-keys", { token: user.token })).body.meta.total;
}

test("a replayed request returns the first response without side effects and without the secret", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const first = await createKey(platform, ada, "one");
  const again = await createKey(platform, ada, "one");
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.status).toBe(201);
  expect(again.body).toEqual({ apiKey: { ...first.body.apiKey, token: null } });
  expect(await countKeys(platform, ada)).toBe(1);
});

test("a replayed rotation changes the secret once and doesn't show it again", async ({ platform }) => {
  const ada = await platform.addUser();
  const { id } = (await createKey(platform, ada, "one")).body.apiKey;
  const rotate = () =>
    platform.api("POST", "/api/api-keys/rotate", {
      token: ada.token,
      headers: { "idempotency-key": "rotate" },
      body: { apiKey: id },
    });
  const first = await rotate();
  const again = await rotate();
  expect(again.body.apiKey).toMatchObject({ token: null, rotatedAt: first.body.apiKey.rotatedAt });
  const usable = await platform.api("POST", "/api/api-keys/update", {
    token: ada.token,
    body: { token: first.body.apiKey.token, name: "still known by it" },
  });
  expect(usable.status).toBe(200);
});

test("rejects an idempotency key that is reused with a different body", async ({ platform }) => {
  const ada = await platform.addUser();
  await createKey(platform, ada, "one");
  expect(await createKey(platform, ada, "one", { name: "other" })).toMatchObject({
    status: 409,
    body: { code: "VALIDATION_ERROR", details: { reason: "IDEMPOTENCY_KEY_REUSED" } },
  });
  expect(await countKeys(platform, ada)).toBe(1);
});

test("an idempotency key is scoped to one user and one path", async ({ platform }) => {
  const [ada, eve] = [await platform.addUser(), await platform.addUser()];
  const mine = await createKey(platform, ada, "same");
  expect(await createKey(platform, eve, "same")).toMatchObject({ status: 201, body: { apiKey: { name: "ci" } } });
  const elsewhere = await platform.api("POST", "/api/api-keys/remove", {
    token: ada.token,
    headers: { "idempotency-key": "same" },
    body: { apiKey: mine.body.apiKey.id },
  });
  expect(elsewhere).toMatchObject({ status: 200, body: { removed: true } });
});

test("does not replay a response from one organization to another", async ({ platform }) => {
  const [ada, eve] = [await platform.addUser(), await platform.addUser()];
  await platform.services.db.transaction().execute(async (transaction) => {
    await enterOrganization(transaction, eve.organizationId);
    await transaction
      .insertInto("organization_members")
      .values({ organization_id: eve.organizationId, user_id: ada.userId, role: "admin" })
      .execute();
  });
  const makeTeam = (organizationId: string) =>
    platform.api("POST", "/api/gw/teams", {
      token: ada.token,
      headers: { "idempotency-key": "team", "x-gw-organization": organizationId },
      body: { name: "Research" },
    });
  expect((await makeTeam(ada.organizationId)).status).toBe(201);
  expect(await makeTeam(eve.organizationId)).toMatchObject({
    status: 409,
    body: { details: { reason: "IDEMPOTENCY_KEY_REUSED" } },
  });
  expect((await makeTeam(ada.organizationId)).headers.get("idempotent-replayed")).toBe("true");
});

test("a second request gets 409 and Retry-After while the first is in progress", async ({ platform, database }) => {
  const ada = await platform.addUser();
  const release = await holdAuditChain(database, ada.organizationId);
  const first = createKey(platform, ada, "slow");
  await waitForWaiter(database.connectionString);
  const second = await createKey(platform, ada, "slow");
  expect(second).toMatchObject({ status: 409, body: { details: { reason: "IDEMPOTENCY_IN_PROGRESS" } } });
  expect(second.headers.get("retry-after")).toBe("1");
  await release();
  expect((await first).status).toBe(201);
  expect((await createKey(platform, ada, "slow")).headers.get("idempotent-replayed")).toBe("true");
});

test("replays the response if the client disconnected before receiving it", async ({ platform, database }) => {
  const ada = await platform.addUser();
  const release = await holdAuditChain(database, ada.organizationId);
  const body = JSON.stringify({ name: "ci", team_id: ada.teamId });
  const request = httpRequest(platform.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${ada.token}`,
      "content-type": "application/json",
      "idempotency-key": "lost",
    },
  });
  request.on("error", () => {});
  request.end(body);
  await waitForWaiter(database.connectionString);
  request.destroy();
  await release();
  await waitFor("the commit", async () => (await countKeys(platform, ada)) === 1);
  const again = await createKey(platform, ada, "lost");
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again).toMatchObject({ status: 201, body: { apiKey: { token: null, name: "ci" } } });
  expect(await countKeys(platform, ada)).toBe(1);
});

test("a retry executes the request again if the first transaction lost its database connection", async ({
  platform,
  database,
}) => {
  const ada = await platform.addUser();
  const release = await holdAuditChain(database, ada.organizationId);
  const first = createKey(platform, ada, "killed");
  const pid = await waitForWaiter(database.connectionString);
  await querySql(database.connectionString, `select pg_terminate_backend(${pid})`);
  expect((await first).status).toBeGreaterThanOrEqual(500);
  await release();
  const again = await createKey(platform, ada, "killed");
  expect(again.headers.get("idempotent-replayed")).toBeNull();
  expect(again).toMatchObject({ status: 201 });
  expect(again.body.apiKey.token).toMatch(/^sk-tg-/);
  expect(await countKeys(platform, ada)).toBe(1);
});

test("a rejected request is not stored, so a corrected request can use the same idempotency key", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const unknownTeam = { team_id: `team_${"0".repeat(26)}` };
  expect((await createKey(platform, ada, "retry", unknownTeam)).status).toBe(404);
  expect((await createKey(platform, ada, "retry", { name: "" })).status).toBe(400);
  expect((await createKey(platform, ada, "retry")).status).toBe(201);
});

test("an idempotency key expires after a day", async ({ platform }) => {
  const ada = await platform.addUser();
  const first = await createKey(platform, ada, "old");
  platform.advance(24 * 3_600_000 - 60_000);
  const refreshed = { ...ada, token: await freshToken(platform, ada) };
  expect((await createKey(platform, refreshed, "old")).body.apiKey.id).toBe(first.body.apiKey.id);
  platform.advance(120_000);
  const anew = await createKey(platform, refreshed, "old");
  expect(anew.status).toBe(201);
  expect(anew.body.apiKey.id).not.toBe(first.body.apiKey.id);
});

test.for(["", "x".repeat(256)])("rejects an idempotency key with an invalid length", async (key, { platform }) => {
  const ada = await platform.addUser();
  expect(await createKey(platform, ada, key)).toMatchObject({ status: 400 });
});

/** Blocks transactions that write an audit entry for the organization, which is their last step before the commit. */
async function holdAuditChain(database: TestDatabase, organizationId: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = database
    .connect("tollgate_worker")
    .transaction()
    .execute(async (transaction) => {
      await transaction
        .selectNoFrom(({ fn, val }) =>
          fn<unknown>("pg_advisory_xact_lock", [
            fn<string>("hashtextextended", [val(`tollgate:audit:${organizationId}`), val(0)]),
          ]).as("held"),
        )
        .execute();
      held.resolve();
      await released.promise;
    });
  await Promise.race([held.promise, holding]);
  onTestFinished(() => released.resolve());
  return async () => {
    released.resolve();
    await holding;
  };
}

/** Returns the PID of the database process that is waiting for the audit chain's lock. */
async function waitForWaiter(connectionString: string): Promise<number> {
  const { pid } = await waitFor("a process that waits for the chain", async () => {
    const rows = await querySql<{ pid: number }>(
      connectionString,
      `select pid from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows[0];
  });
  return pid;
}

/** Issues a new token for a user one day later, when the first token has expired. */
async function freshToken({ services }: TestPlatform, { userId, sessionId }: TestUser): Promise<string> {
  const { jti } = await runUnauthenticated(services.db, (transaction) =>
    transaction
      .selectFrom("sessions")
      .select("current_jti as jti")
      .where("id", "=", sessionId)
      .executeTakeFirstOrThrow(),
  );
  return (await services.tokens.issue({ userId, sessionId, jti, role: "user" })).token;
}
