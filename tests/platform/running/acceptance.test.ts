import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { managementOperations } from "@tollgate/platform/operations.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, type RunningPlatform, startRunningPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
let person: Person;
beforeAll(async () => {
  platform = await startRunningPlatform();
  person = await platform.signUp();
});
afterAll(() => platform.stop());

const makeKey = async (owner: Person, fields: object = {}) => {
  const { body } = await platform.api("POST", "/api/gw/api-keys", {
    token: owner.token,
    body: { name: "ci", team_id: owner.teamId, ...fields },
  });
  return body.apiKey as { id: string; token: string };
};

describe("every operation", () => {
  const idFilled = (path: string) => path.replaceAll(/\{\w+\}/g, "1");

  test("returns 401 in the management format without a token, unless it is public", async () => {
    for (const operation of managementOperations()) {
      if (operation.auth === "none" || operation.auth === "signature") continue;
      const answer = await platform.api(operation.method, idFilled(operation.path));
      expect(answer, operation.id).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
      expect(typeof answer.body.error).toBe("string");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("returns 403 to non-administrators if it is for administrators only", async () => {
    const ofAdministrators = managementOperations().filter(({ path }) => path.startsWith("/api/admin/"));
    expect(ofAdministrators.length).toBeGreaterThan(15);
    for (const operation of ofAdministrators) {
      const answer = await platform.api(operation.method, idFilled(operation.path), { token: person.token });
      expect(answer, operation.id).toMatchObject({
        status: 403,
        body: { code: "FORBIDDEN", details: { reason: "ADMIN_REQUIRED" } },
      });
    }
  });

  test("is described in the published OpenAPI document", async () => {
    const { body } = await platform.api("GET", "/api/openapi.json");
    for (const { method, path } of managementOperations()) {
      expect(body.paths[path]?.[method.toLowerCase()], `${method} ${path}`).toBeDefined();
    }
  });
});

test("signing up creates an organization, an empty quota, and a team, and a refreshed token replaces the old one", async () => {
  const fresh = await platform.signUp();
  const { body: quota } = await platform.api("GET", "/api/quota", { token: fresh.token });
  expect(quota.quota).toMatchObject({ organizationId: fresh.organizationId, balance: 0, teams: 1, blockedTeams: 0 });
  const { body: me } = await platform.api("GET", "/api/auth/me", { token: fresh.token });
  expect(me).toMatchObject({
    user: { id: fresh.userId, email: fresh.email, role: "user" },
    activeOrganizationId: fresh.organizationId,
  });
  const refreshed = await platform.api("POST", "/api/auth/token/refresh", { token: fresh.token });
  expect(refreshed.status).toBe(200);
  expect(refreshed.body.token).not.toBe(fresh.token);
  expect((await platform.api("GET", "/api/auth/me", { token: refreshed.body.token })).status).toBe(200);
});

test("a key's secret is shown once, and changes to the key affect calls within a second", async () => {
  const key = await makeKey(person);
  expect(key.token).toMatch(/^sk-tg-[0-9A-Za-z]{48}$/);
  const listed = await platform.api("GET", "/api/api-keys", { token: person.token });
  expect(listed.text).not.toContain(key.token);
  const call = (secret: string) => platform.chat(secret, { model: "sim/echo" });
  const becomes = (secret: string, status: number, code?: string) =>
    waitFor(
      `${status}`,
      async () => {
        const { status: seen, body } = await call(secret);
        return seen === status && (code === undefined || body.error.code === code);
      },
      { limitMs: 1_000 },
    );
  const update = (fields: object) =>
    platform.api("POST", "/api/api-keys/update", { token: person.token, body: { token: key.id, ...fields } });
  await becomes(key.token, 200);
  const wrongChecksum = key.token.slice(0, -1) + (key.token.endsWith("a") ? "b" : "a");
  await becomes(wrongChecksum, 401, "invalid_api_key");
  expect((await update({ name: "renamed" })).body.apiKey.name).toBe("renamed");
  await update({ disabled: true });
  await becomes(key.token, 401, "key_blocked");
  await update({ disabled: false });
  await becomes(key.token, 200);
  const rotate = (body: object) =>
    platform.api("POST", "/api/api-keys/rotate", { token: person.token, body: { apiKey: key.id, ...body } });
  const { body: first } = await rotate({ graceSeconds: 60 });
  await becomes(first.apiKey.token, 200);
  await becomes(key.token, 200);
  const { body: second } = await rotate({});
  await becomes(second.apiKey.token, 200);
  await becomes(first.apiKey.token, 401, "invalid_api_key");
  expect(
    (await platform.api("POST", "/api/api-keys/remove", { token: person.token, body: { apiKey: key.id } })).status,
  ).toBe(200);
  await becomes(second.apiKey.token, 401, "invalid_api_key");
  expect(
    (await platform.api("POST", "/api/api-keys/remove", { token: person.token, body: { apiKey: key.id } })).status,
  ).toBe(404);
});

test("with credit for three calls, two hundred concurrent calls overspend by less than the cost of one call, and the ledger verification passes", async () => {
  const owner = await platform.signUp();
  const key = await makeKey(owner);
  await platform.moveCredits(owner, 10_000_000_000_000n);
  const first = await platform.chat(key.token);
  const cost = BigInt(first.headers.get("x-gw-response-cost-nano-usd") ?? "0");
  await platform.settled(owner, 10_000_000_000_000n - cost);
  const held = await platform.api("GET", "/api/balance", { token: owner.token });
  expect(held.body.usd.balance).toMatch(/^9\d{3}\.\d{9}$/);
  await platform.moveCredits(owner, 3n * cost - (10_000_000_000_000n - cost));
  const answers = await Promise.all(Array.from({ length: 200 }, () => platform.chat(key.token)));
  const served = answers.filter(({ status }) => status === 200).length;
  expect(served).toBeGreaterThan(0);
  for (const { status } of answers) expect([200, 403, 429, 503]).toContain(status);
  await platform.settled(owner, (3n - BigInt(served)) * cost);
  expect((3n - BigInt(served)) * cost).toBeGreaterThan(-2n * cost);
  const program = join(import.meta.dirname, "../../../bin/tollgate");
  const proof = spawnSync(program, ["ledger", "verify", "--json", "--data", platform.dataDir], { encoding: "utf8" });
  expect(proof.status, proof.stdout).toBe(0);
});

test("an invitation does not reveal whether an account exists, and other tenants' IDs return 404", async () => {
  const stranger = await platform.signUp();
  const invite = async (email: string) => {
    const { status, body } = await platform.api("POST", "/api/gw/teams/invite-member", {
      token: person.token,
      body: { teamId: person.teamId, teamName: "anything", email, role: "member" },
    });
    return {
      status,
      shape: JSON.stringify(body, (name, value: unknown) =>
        typeof value === "string" && /id|email|url|at$/i.test(name) ? "…" : value,
      ),
    };
  };
  const known = await invite(stranger.email);
  expect(known.status).toBe(202);
  expect(await invite(`unknown-${randomUUID()}@example.org`)).toEqual(known);
  const key = await makeKey(person);
  for (const [method, path, body] of [
    ["GET", `/api/gw/teams/${person.teamId}`],
    ["GET", `/api/api-keys/${key.id}`],
    ["POST", "/api/api-keys/update", { token: key.id, name: "mine" }],
    ["POST", "/api/api-keys/remove", { apiKey: key.token }],
    ["PUT", "/api/auth/active-organization", { organizationId: person.organizationId }],
    ["POST", "/api/gw/teams/remove-member", { teamId: person.teamId, memberId: person.userId }],
    ["GET", `/api/gw/organizations/${person.organizationId}/members`],
  ] as const) {
    const answer = await platform.api(method, path, { token: stranger.token, ...(body && { body }) });
    expect(answer, `${method} ${path}`).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  }
});

test("no header accepts a session token as an API key", async () => {
  const key = await makeKey(person);
  const call = (headers: Readonly<Record<string, string>>) => platform.chat("", { model: "sim/echo", headers });
  expect((await call({ authorization: `Bearer ${person.token}` })).status).toBe(401);
  expect((await call({ "x-gw-api-key": person.token })).status).toBe(401);
  expect((await call({ authorization: `Bearer ${key.token}` })).status).toBe(200);
  expect((await call({ "x-api-key": key.token })).status).toBe(200);
});

test("calls appear in the totals and in the log, which can be filtered by key and date and read as JSON or CSV", async () => {
  const key = await makeKey(person);
  const answer = await platform.chat(key.token, { model: "sim/echo" });
  expect(answer.status).toBe(200);
  const logs = (query: string) => platform.api("GET", `/api/gw/logs?apiKey=${key.id}${query}`, { token: person.token });
  await waitFor("the call in the log", async () => (await logs("")).body.meta.total === 1);
  const { body } = await logs("");
  expect(body.data[0]).toMatchObject({
    apiKeyId: key.id,
    teamId: person.teamId,
    model: "sim/echo",
    endpoint: "chat.completions",
    class: "succeeded",
    httpStatus: 200,
    stream: false,
    usageSource: "provider",
  });
  expect(body.data[0].id).toMatch(/^use_/);
  const one = await platform.api("GET", `/api/gw/logs/${body.data[0].id}`, { token: person.token });
  expect(one.status).toBe(200);
  const csv = await logs("&format=csv");
  expect(csv.headers.get("content-type")).toContain("text/csv");
  expect(csv.text.trim().split("\n")).toHaveLength(2);
  const today = new Date().toISOString().slice(0, 10);
  expect((await logs(`&startDate=${today}&endDate=${today}`)).body.meta.total).toBe(1);
  expect((await logs("&startDate=2020-01-01&endDate=2020-01-02")).body.meta.total).toBe(0);
  for (const wrong of [
    "&page=0",
    "&pageSize=101",
    "&startDate=2026-02-02&endDate=2026-01-01",
    "&startDate=never",
    "&sort=color",
  ]) {
    expect((await logs(wrong)).status, wrong).toBe(400);
  }
  expect((await logs("&page=99")).body).toMatchObject({ data: [], meta: { page: 99, total: 1, totalPages: 1 } });
  const usage = await platform.api("GET", `/api/gw/usage?groupBy=model&apiKey=${key.id}`, { token: person.token });
  expect(usage.body.data).toMatchObject([{ requests: 1, failed: 0 }]);
});

test("models can be searched by text and type, with an ETag", async () => {
  const list = await platform.api("GET", "/api/models?search=ECHO&type=chat");
  expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual(["sim/echo"]);
  const again = await platform.api("GET", "/api/models?search=ECHO&type=chat", {
    headers: { "if-none-match": list.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
  expect((await platform.api("GET", "/api/models?type=nonsense")).status).toBe(400);
  expect((await platform.api("GET", "/api/models/sim%2Fecho")).body.model.id).toBe("sim/echo");
  expect((await platform.api("GET", "/api/providers")).body.data.length).toBeGreaterThan(0);
});

test("scope=expand lists all models for admins' keys, changes nothing for members, and doesn't allow calls to any additional models", async () => {
  const owner = await platform.signUp();
  const few = { models: ["sim/echo"] };
  const keyOf = async (token: string, teamId: string) => {
    const { body } = await platform.api("POST", "/api/gw/api-keys", {
      token,
      headers: { "x-gw-organization": owner.organizationId },
      body: { name: "expands", team_id: teamId, ...few },
    });
    return body.apiKey.token as string;
  };
  const join = async (role: string) => {
    const guest = await platform.signUp();
    const { body } = await platform.api("POST", "/api/gw/teams/invite-member", {
      token: owner.token,
      body: { teamId: owner.teamId, teamName: "x", email: guest.email, role },
    });
    const { id: invitationId } = body.invitation;
    const accepted = await platform.api("POST", "/api/invitations/accept", {
      token: guest.token,
      body: { invitationId },
    });
    expect(accepted.status).toBe(200);
    return guest;
  };
  const [teamAdmin, member, organizationAdmin] = [await join("admin"), await join("member"), await join("member")];
  const promoted = await platform.api("POST", `/api/gw/organizations/${owner.organizationId}/update-member`, {
    token: owner.token,
    body: { memberId: organizationAdmin.userId, role: "admin" },
  });
  expect(promoted.status).toBe(200);
  const administrator = await platform.administrator();
  const { body: own } = await platform.api("GET", "/api/gw/teams", { token: administrator });
  const { body: ofAdministrator } = await platform.api("POST", "/api/gw/api-keys", {
    token: administrator,
    body: { name: "expands", team_id: own.data[0].id, ...few },
  });
  const listed = async (key: string) => {
    const { body } = await platform.api("GET", "/v1/models?scope=expand", { headers: { "x-gw-api-key": key } });
    return (body.data as { id: string }[]).map(({ id }) => id);
  };
  for (const key of [
    ofAdministrator.apiKey.token as string,
    await keyOf(owner.token, owner.teamId),
    await keyOf(organizationAdmin.token, owner.teamId),
    await keyOf(teamAdmin.token, owner.teamId),
  ]) {
    expect(await listed(key)).toContain("expensive");
    expect((await platform.chat(key, { model: "expensive" })).status).toBe(403);
  }
  expect(await listed(await keyOf(member.token, owner.teamId))).toEqual(["sim/echo"]);
});
