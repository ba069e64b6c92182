import { listenForNotices } from "@tollgate/db/change-notifications.ts";
import { findKeyByHash } from "@tollgate/db/keys/find-key-by-hash.ts";
import { hashApiKey } from "@tollgate/domain/api-keys.ts";
import { CachedKeyDirectory } from "@tollgate/gateway/adapters/key-directory.ts";
import type { TestUser } from "@tollgate/platform/people.fixture.ts";
import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";

/** Time limit that the API contract promises. The key cache alone would take five seconds to notice a change. */
const EFFECTIVE_MS = 1_000;
/** Long enough that a machine that stalls still sees both secrets work. */
const GRACE_SECONDS = 4;

/** A platform and a gateway's key cache on the same database. */
const test = base.extend("world", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  const gateway = database.connect("tollgate_gateway");
  const directory = new CachedKeyDirectory(
    (hash) => findKeyByHash(gateway, hash),
    () => performance.now(),
  );
  const notices = listenForNotices(
    database.connectionString,
    (notice) => directory.evict(notice),
    () => {},
  );
  await notices.listening;
  onCleanup(async () => {
    await notices.close();
    await platform.close();
  });
  const find = async (secret: string) => directory.find(hashApiKey(secret).toString("hex"));
  return {
    platform,
    find,
    /** Waits until the gateway sees the expected key state, within the promised time. */
    sees: (what: string, secret: string, isSo: (caller: Awaited<ReturnType<typeof find>>) => boolean) =>
      waitFor(what, async () => isSo(await find(secret)), { limitMs: EFFECTIVE_MS }),
    post: async (user: TestUser, path: string, body: object) => {
      const answer = await platform.api("POST", path, { token: user.token, body });
      expect(answer.status).toBeLessThan(300);
      return answer.body;
    },
    createKey: async (user: TestUser) => {
      const body = { name: "ci", team_id: user.teamId };
      const answer = await platform.api("POST", "/api/gw/api-keys", { token: user.token, body });
      return answer.body.apiKey as { id: string; token: string };
    },
  };
});

test("a new key works on its first call", async ({ world }) => {
  const ada = await world.platform.addUser();
  const key = await world.createKey(ada);
  expect(await world.find(key.token)).toMatchObject({ keyId: key.id, isDisabled: false, teamId: ada.teamId });
});

test("disabling and enabling a key takes effect within a second", async ({ world }) => {
  const ada = await world.platform.addUser();
  const { id, token } = await world.createKey(ada);
  expect(await world.find(token)).toMatchObject({ isDisabled: false });
  await world.post(ada, "/api/api-keys/update", { token: id, disabled: true });
  await world.sees("the key to be disabled", token, (caller) => caller?.isDisabled === true);
  await world.post(ada, "/api/api-keys/update", { token: id, disabled: false });
  await world.sees("the key to be enabled", token, (caller) => caller?.isDisabled === false);
});

test("changes to a key's expiry, models, limits, and budget take effect within a second", async ({ world }) => {
  const ada = await world.platform.addUser();
  const { id, token } = await world.createKey(ada);
  await world.find(token);
  const expiresAt = new Date(Date.now() + 3_600_000);
  await world.post(ada, "/api/api-keys/update", {
    token: id,
    expiresAt: expiresAt.toISOString(),
    models: ["fast"],
    rateLimit: { rpm: 7 },
  });
  await world.sees("the change", token, (caller) => caller?.expiresAtMs === expiresAt.getTime());
  expect(await world.find(token)).toMatchObject({ models: { key: ["fast"] }, rpmLimit: 7 });
  await world.post(ada, "/api/api-keys/update", { token: id, budget: { limit: 25, period: "daily" } });
  await world.sees("the budget", token, (caller) => caller?.budgets.budgets[0]?.limit === 25n);
});

test("after a rotation, the new secret works immediately, and the old secret stops working within a second", async ({
  world,
}) => {
  const ada = await world.platform.addUser();
  const { id, token } = await world.createKey(ada);
  await world.find(token);
  const { apiKey } = await world.post(ada, "/api/api-keys/rotate", { apiKey: id });
  expect(apiKey.token).not.toBe(token);
  expect(await world.find(apiKey.token)).toMatchObject({ keyId: id });
  await world.sees("the old secret to be unknown", token, (caller) => caller === null);
});

test("with a grace period, both secrets work until the period ends", async ({ world }) => {
  const ada = await world.platform.addUser();
  const { token } = await world.createKey(ada);
  await world.find(token);
  const { apiKey } = await world.post(ada, "/api/api-keys/rotate", { apiKey: token, graceSeconds: GRACE_SECONDS });
  expect(await world.find(token)).toMatchObject({ keyId: apiKey.id });
  expect(await world.find(apiKey.token)).toMatchObject({ keyId: apiKey.id });
  // The time limit is the grace period plus one second for the change to take effect.
  const limitMs = GRACE_SECONDS * 1_000 + EFFECTIVE_MS;
  await waitFor("the grace to end", async () => (await world.find(token)) === null, { limitMs });
  expect(await world.find(apiKey.token)).toMatchObject({ keyId: apiKey.id });
});

test("a removed key stops working within a second", async ({ world }) => {
  const ada = await world.platform.addUser();
  const { token } = await world.createKey(ada);
  await world.find(token);
  await world.post(ada, "/api/api-keys/remove", { apiKey: token });
  await world.sees("the key to be unknown", token, (caller) => caller === null);
});

test("blocking and unblocking a team takes effect within a second", async ({ world }) => {
  const admin = await world.platform.addUser({ role: "admin" });
  const ada = await world.platform.addUser();
  const { token } = await world.createKey(ada);
  await world.find(token);
  await world.post(admin, `/api/admin/teams/${ada.teamId}/block`, { reason: "abuse" });
  await world.sees("the block", token, (caller) => caller?.isTeamBlocked === true);
  await world.post(admin, `/api/admin/teams/${ada.teamId}/unblock`, {});
  await world.sees("its end", token, (caller) => caller?.isTeamBlocked === false);
});

test("keys of a deleted user's organization stop working within a second", async ({ world }) => {
  const admin = await world.platform.addUser({ role: "admin" });
  const ada = await world.platform.addUser();
  const { token } = await world.createKey(ada);
  await world.find(token);
  await world.platform.api("DELETE", `/api/admin/users/${ada.userId}`, { token: admin.token });
  await world.sees("the key to be unknown", token, (caller) => caller === null);
});
