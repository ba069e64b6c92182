import { decidePairing } from "@tollgate/db/pairings/pairings.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { readAudit } from "../identity/identity.fixture.ts";
import { type PlatformOptions, startTestPlatform, type TestPlatform } from "../platform.fixture.ts";
import { makePairingCode } from "./pairing-code.ts";

const MINUTE = 60_000;

async function start(database: Parameters<typeof startTestPlatform>[0], options: PlatformOptions = {}) {
  const platform = await startTestPlatform(database, options);
  onTestFinished(() => platform.close());
  return platform;
}

async function ask(platform: TestPlatform) {
  const { status, body } = await platform.api("POST", "/api/auth/pairings", { body: { clientName: "cli on laptop" } });
  expect(status).toBe(201);
  return body.pairing as { id: string; code: string; secret: string; confirmUrl: string; intervalSeconds: number };
}

const claim = (platform: TestPlatform, { id, secret }: { id: string; secret: string }) =>
  platform.api("POST", "/api/auth/pairings/claim", { body: { id, secret } });

const decide = (platform: TestPlatform, token: string, code: string, verb: "approve" | "deny") =>
  platform.api("POST", `/api/auth/pairings/${code}/${verb}`, { token });

test("a terminal that asks while the user approves gets its session", async ({ database }) => {
  const platform = await start(database);
  const { userId, organizationId } = await platform.addUser();
  const pairing = await ask(platform);
  const sessionEndsAt = new Date(Date.now() + MINUTE);
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  const { claiming } = await runUnauthenticated(database.connect("tollgate_platform"), async (transaction) => {
    await decidePairing(
      transaction,
      pairing.id,
      { status: "approved", userId, organizationId, sessionEndsAt },
      new Date(),
    );
    const started = claim(platform, pairing);
    await waitFor("the claim to wait", async () => (await querySql(database.connectionString, waiting)).length === 1);
    return { claiming: started };
  });
  expect((await claiming).status).toBe(200);
});

test("a terminal gets one session for the user who approved the pairing, in that user's active organization", async ({
  database,
}) => {
  const platform = await start(database, { settings: { rootPath: "/x/y" } });
  const person = await platform.addUser();
  const pairing = await ask(platform);
  expect(pairing.code).toMatch(/^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/);
  expect(pairing.confirmUrl).toBe(`${platform.url}/x/y/ui/cli/confirm?code=${pairing.code}`);
  expect(await claim(platform, pairing)).toMatchObject({ status: 202, body: { status: "pending" } });
  // A user might type the code like this.
  const typed = pairing.code.toLowerCase().replace("-", " ");
  const shown = await platform.api("GET", `/api/auth/pairings/${encodeURIComponent(typed)}`, { token: person.token });
  expect(shown.body.pairing).toMatchObject({
    code: pairing.code,
    clientName: "cli on laptop",
    ip: "127.0.0.1",
    status: "pending",
  });
  expect(shown.text).not.toContain(pairing.secret);
  expect(await decide(platform, person.token, typed, "approve")).toMatchObject({
    status: 200,
    body: { pairing: { status: "approved" } },
  });
  const claims = await Promise.all([claim(platform, pairing), claim(platform, pairing), claim(platform, pairing)]);
  expect(claims.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  const { token } = claims.find(({ status }) => status === 200)?.body ?? {};
  const me = await platform.api("GET", "/api/auth/me", { token });
  expect(me.body).toMatchObject({ user: { email: person.email }, activeOrganizationId: person.organizationId });
  expect(me.body.session.id).not.toBe(person.sessionId);
  // The new session expires with the session that approved it.
  const own = await platform.api("GET", "/api/auth/me", { token: person.token });
  expect(me.body.session.expiresAt).toBe(own.body.session.expiresAt);
  const actions = (await readAudit(database, person.email)).map(({ action }) => action);
  expect(actions).toEqual(["pairing.approved", "user.logged_in"]);
});

test("only the first user to approve or deny a pairing can see it, and the decision is final", async ({ database }) => {
  const platform = await start(database);
  const [first, second] = [await platform.addUser(), await platform.addUser()];
  const pairing = await ask(platform);
  expect((await decide(platform, first.token, pairing.code, "approve")).status).toBe(200);
  for (const verb of ["approve", "deny"] as const) {
    expect((await decide(platform, second.token, pairing.code, verb)).status).toBe(404);
    expect((await decide(platform, first.token, pairing.code, verb)).status).toBe(409);
  }
  expect((await platform.api("GET", `/api/auth/pairings/${pairing.code}`, { token: second.token })).status).toBe(404);
  const { token } = (await claim(platform, pairing)).body;
  expect((await platform.api("GET", "/api/auth/me", { token })).body.user.email).toBe(first.email);
});

test("a denied terminal gets PAIRING_DENIED", async ({ database }) => {
  const platform = await start(database);
  const { token } = await platform.addUser();
  const pairing = await ask(platform);
  expect((await decide(platform, token, pairing.code, "deny")).body.pairing.status).toBe("denied");
  expect(await claim(platform, pairing)).toMatchObject({
    status: 403,
    body: { details: { reason: "PAIRING_DENIED" } },
  });
});

test("a pairing code expires after ten minutes, approved or not", async ({ database }) => {
  const platform = await start(database);
  const { token } = await platform.addUser();
  const [late, unclaimed] = [await ask(platform), await ask(platform)];
  platform.advance(9 * MINUTE);
  expect((await decide(platform, token, unclaimed.code, "approve")).status).toBe(200);
  platform.advance(2 * MINUTE);
  expect((await decide(platform, token, late.code, "approve")).status).toBe(409);
  const shown = await platform.api("GET", `/api/auth/pairings/${late.code}`, { token });
  expect(shown.body.pairing.status).toBe("expired");
  for (const pairing of [late, unclaimed]) {
    expect(await claim(platform, pairing)).toMatchObject({
      status: 409,
      body: { details: { reason: "PAIRING_EXPIRED" } },
    });
  }
});

test("too many wrong secrets end the pairing, and code guesses are rate-limited", async ({ database }) => {
  const platform = await start(database);
  const { token } = await platform.addUser();
  const pairing = await ask(platform);
  expect((await decide(platform, token, pairing.code, "approve")).status).toBe(200);
  for (let tries = 0; tries < 10; tries += 1) {
    expect((await claim(platform, { id: pairing.id, secret: `guess-${tries}` })).status).toBe(404);
  }
  expect((await claim(platform, pairing)).status).toBe(404);

  const { limits } = platform.services.settings();
  const slow = await start(database, { settings: { limits: { ...limits, loginsPerMinutePerAddress: 3 } } });
  const guess = () => slow.api("GET", `/api/auth/pairings/${makePairingCode()}`, { token });
  const statuses = [await guess(), await guess(), await guess(), await guess()].map(({ status }) => status);
  expect(statuses).toEqual([404, 404, 404, 429]);
});

test("logging out invalidates the pairings that the session approved", async ({ database }) => {
  const platform = await start(database);
  const person = await platform.addUser();
  const pairing = await ask(platform);
  expect((await decide(platform, person.token, pairing.code, "approve")).status).toBe(200);
  expect((await platform.api("POST", "/api/auth/logout", { token: person.token })).status).toBe(204);
  expect(await claim(platform, pairing)).toMatchObject({
    status: 403,
    body: { details: { reason: "PAIRING_DENIED" } },
  });
});

test("client names with invisible or bidirectional control characters are rejected", async ({ database }) => {
  const platform = await start(database);
  for (const clientName of ["cli\u202egnp.exe", "cli\u200b", "\u2066cli", "\ufeffcli"]) {
    const answer = await platform.api("POST", "/api/auth/pairings", { body: { clientName } });
    expect(answer.status, clientName).toBe(400);
  }
  const named = await platform.api("POST", "/api/auth/pairings", { body: { clientName: "cli on Zoë’s 电脑" } });
  expect(named.status).toBe(201);
});

test("the database stores neither the code nor the secret", async ({ database }) => {
  const platform = await start(database);
  const { code, secret } = await ask(platform);
  const rows = await database.connect("tollgate_worker").selectFrom("pairings").selectAll().execute();
  const text = JSON.stringify(rows, (_, value) =>
    value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(text).not.toContain(code);
  expect(text).not.toContain(secret);
});

test("a cookie session can approve a pairing only from the console's origin and with a CSRF header", async ({
  database,
}) => {
  const platform = await start(database);
  const { token } = await platform.addUser();
  const pairing = await ask(platform);
  const approve = (headers: Record<string, string>) =>
    platform.api("POST", `/api/auth/pairings/${pairing.code}/approve`, {
      headers: { cookie: `tollgate_session=${token}`, ...headers },
    });
  expect((await approve({ origin: "https://evil.example", "x-gw-csrf": "1" })).status).toBe(403);
  expect((await approve({ origin: platform.url })).status).toBe(403);
  expect((await approve({ origin: platform.url, "x-gw-csrf": "1" })).status).toBe(200);
});
