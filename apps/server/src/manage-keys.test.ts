import { testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import { findTeam } from "@tollgate/platform/litellm/manage-teams.ts";
import { runAsKeyCreator } from "@tollgate/platform/litellm/run-as-key-creator.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./managed-platform.fixture.ts";
import { openManagement } from "./open-management.ts";

test("a generated key works immediately, its budget is enforced exactly, and the platform lists the key", async ({
  scene,
  upstream,
}) => {
  const { hosted, master, addPerson, call } = scene;
  const ada = await addPerson();
  upstream.replies(200, chatAnswer({ inputTokens: 1, outputTokens: 1 }));
  const made = await call("POST", "/key/generate", master, {
    team_id: ada.teamId,
    key_alias: "from outside",
    models: ["metered"],
    max_budget: 0.1,
    budget_duration: "30d",
    rpm_limit: 100,
    model_rpm_limit: { metered: 50 },
    metadata: { owner: "ops" },
    tags: ["paid"],
    duration: "30d",
    soft_budget: null,
    permissions: {},
  });
  expect(made.status, made.text).toBe(200);
  expect(made.body).toMatchObject({
    key: expect.stringMatching(/^sk-tg-/),
    key_name: `sk-...${made.body.key.slice(-4)}`,
    key_alias: "from outside",
    max_budget: 0.1,
    budget_duration: "30d",
    rpm_limit: 100,
    model_rpm_limit: { metered: 50 },
    metadata: { owner: "ops" },
    tags: ["paid"],
    blocked: false,
    spend: 0,
  });
  const id = made.body.token_id;
  const budget = await querySql<{ amount: string; period: string }>(
    scene.database.connectionString,
    `select amount::text, period from budgets where scope_id = '${id}'`,
  );
  expect(budget).toEqual([{ amount: "100000000", period: "30d" }]);
  await hosted.addCredit(ada, 1_000_000_000n);
  expect((await scene.chat(made.body.key)).status).toBe(200);
  const shown = await hosted.api("GET", `/api/api-keys/${id}`, { token: ada.token });
  expect(shown.body.apiKey).toMatchObject({ name: "from outside", budget: { limit: 100_000_000, period: "other" } });
  expect(await scene.audited("key.created", id)).toMatchObject([{ actor: { type: "key", id: "master" } }]);
});

test("a key without a team is refused with the reason if there are several teams, because a team's organization pays", async ({
  scene,
}) => {
  await scene.addPerson();
  await scene.addPerson();
  const made = await scene.call("POST", "/key/generate", scene.master, {});
  expect(made.status).toBe(400);
  expect(made.body.error).toMatchObject({
    code: "invalid_request",
    param: "team_id",
    message: expect.stringContaining("Each key belongs to a team, whose organization pays for its requests."),
    fix: "Set team_id. GET /team/list lists the teams.",
  });
});

test("amounts beyond double precision are parsed exactly, and amounts finer than nano-USD are rejected", async ({
  scene,
}) => {
  const ada = await scene.addPerson();
  const send = (text: string) => scene.call("POST", "/key/generate", ada.managing, `{"max_budget": ${text}}`);
  const large = await send("100000000.000000001");
  expect(large.status, large.text).toBe(200);
  expect(large.text).toContain('"max_budget":100000000.000000001');
  for (const text of ["0.0000000001", "-1", '"a lot"', "1e30"]) {
    expect((await send(text)).status, text).toBeGreaterThanOrEqual(400);
  }
});

test("a platform key can be read, updated, blocked, regenerated, and deleted", async ({ scene, upstream }) => {
  const { call } = scene;
  const ada = await scene.addPerson();
  await scene.hosted.addCredit(ada, 1_000_000_000n);
  upstream.replies(200, chatAnswer({ inputTokens: 1, outputTokens: 1 }));
  const { id, token } = await scene.hosted.createKey(ada, { name: "of the platform" });
  const info = await call("GET", `/key/info?key=${id}`, ada.managing);
  expect(info.body.info).toMatchObject({ key_alias: "of the platform", team_id: ada.teamId, max_budget: null });
  const hash = info.body.key as string;
  expect(info.text).not.toContain(token);

  const changed = await call("POST", "/key/update", ada.managing, { key: hash, max_budget: "2.5", rpm_limit: 7 });
  expect(changed.body).toMatchObject({ max_budget: 2.5, rpm_limit: 7, key_alias: "of the platform" });
  const untouched = await call("POST", "/key/update", ada.managing, { key: token, budget_duration: "7d" });
  expect(untouched.body).toMatchObject({ max_budget: 2.5, budget_duration: "7d", rpm_limit: 7 });
  const freed = await call("POST", "/key/update", ada.managing, { key: token, max_budget: null, rpm_limit: null });
  expect(freed.body).toMatchObject({ max_budget: null, rpm_limit: null });

  expect((await scene.chat(token)).status).toBe(200);
  expect((await call("POST", "/key/block", ada.managing, { key: token })).body).toMatchObject({ blocked: true });
  await waitFor("the block", async () => (await scene.chat(token)).body.error?.code === "key_blocked");
  expect((await call("POST", "/key/unblock", ada.managing, { key: token })).body).toMatchObject({ blocked: false });
  await waitFor("the key to work again", async () => (await scene.chat(token)).status === 200);

  expect((await call("POST", `/key/${hash}/regenerate`, ada.managing, { grace_period: "8d" })).status).toBe(400);
  const renewed = await call("POST", `/key/${hash}/regenerate`, ada.managing);
  expect(renewed.status, renewed.text).toBe(200);
  expect((await scene.chat(renewed.body.key)).status).toBe(200);
  await waitFor("the old secret to end", async () => (await scene.chat(token)).status === 401);

  const ended = await call("POST", "/key/delete", ada.managing, { keys: [renewed.body.key] });
  expect(ended.body).toEqual({ deleted_keys: [renewed.body.token] });
  await waitFor("the key to end", async () => (await scene.chat(renewed.body.key)).status === 401);
  const shown = await scene.hosted.api("GET", `/api/api-keys/${id}`, { token: ada.token });
  expect(shown.body.apiKey.status).toBe("revoked");
  const actions = await querySql<{ action: string }>(
    scene.database.connectionString,
    `select action from audit_log where target->>'id' = '${id}' order by seq`,
  );
  expect(actions.map(({ action }) => action)).toEqual([
    "key.created",
    "key.updated",
    "key.updated",
    "key.updated",
    "key.disabled",
    "key.updated",
    "key.rotated",
    "key.revoked",
  ]);
});

test("a key without management access can read only itself", async ({ scene }) => {
  const ada = await scene.addPerson();
  const { id, token } = await scene.hosted.createKey(ada);
  const own = await scene.call("GET", "/key/info", token);
  expect(own.body.info).toMatchObject({ token_id: id });
  const denied = { status: 403, body: { error: { code: "route_not_allowed" } } };
  expect(await scene.call("GET", `/key/info?key=${id}`, token)).toMatchObject(denied);
  expect(await scene.call("GET", "/key/list", token)).toMatchObject(denied);
  expect(await scene.call("POST", "/key/generate", token, {})).toMatchObject(denied);
});

test("requests for keys and teams in another organization return 404", async ({ scene }) => {
  const { call } = scene;
  const ada = await scene.addPerson();
  const eve = await scene.addPerson();
  const { id, token } = await scene.hosted.createKey(ada);
  const absent = { status: 404, body: { error: { code: "not_found" } } };
  for (const key of [id, token]) {
    expect(await call("GET", `/key/info?key=${key}`, eve.managing)).toMatchObject(absent);
    expect(await call("POST", "/key/update", eve.managing, { key, rpm_limit: 1 })).toMatchObject(absent);
    expect(await call("POST", "/key/delete", eve.managing, { keys: [key] })).toMatchObject(absent);
    expect(await call("POST", `/key/${key}/regenerate`, eve.managing)).toMatchObject(absent);
  }
  expect(await call("POST", "/key/generate", eve.managing, { team_id: ada.teamId })).toMatchObject(absent);
  const listed = await call("GET", `/key/list?organization_id=${ada.organizationId}`, eve.managing);
  expect(listed.body).toMatchObject({ keys: [], total_count: 0 });
  const all = await call("GET", `/key/list?organization_id=${ada.organizationId}`, scene.master);
  expect(all.body.total_count).toBe(2);
  // If one of several keys belongs to another organization, no key is deleted.
  const own = await call("POST", "/key/generate", eve.managing, {});
  expect(await call("POST", "/key/delete", eve.managing, { keys: [own.body.key, id] })).toMatchObject(absent);
  expect((await call("GET", `/key/info?key=${own.body.token}`, eve.managing)).status).toBe(200);
});

test("a user can't gain the role of a higher-ranked user through that user's key", async ({ scene }) => {
  const { call } = scene;
  const owner = await scene.addPerson();
  const lead = await scene.addPerson();
  await scene.join(owner.organizationId, lead.userId, "member");
  const added = await call("POST", "/team/member_add", owner.managing, {
    team_id: owner.teamId,
    member: { user_id: String(lead.userId), role: "admin" },
  });
  expect(added.status, added.text).toBe(200);
  const leading = await scene.managingKey(lead.userId, owner.teamId);
  const forbidden = { status: 403, body: { error: { code: "admin_only" } } };
  // The owner's key is in a team that the team lead manages, but the key still belongs to the owner.
  expect(await call("POST", "/key/generate", leading, { user_id: String(owner.userId) })).toMatchObject(forbidden);
  const keyOfOwner = (await call("GET", "/key/info", owner.managing)).body.key as string;
  expect(await call("POST", `/key/${keyOfOwner}/regenerate`, leading)).toMatchObject(forbidden);
  const session = await scene.hosted.api("POST", "/api/api-keys/rotate", {
    token: lead.token,
    body: { apiKey: (await call("GET", "/key/info", owner.managing)).body.info.token_id },
  });
  expect(session.status, session.text).toBe(403);
  const plain = await call("POST", "/key/generate", owner.managing, { key_alias: "plain" });
  const widened = { key: plain.body.token, allowed_routes: ["management"] };
  expect(await call("POST", "/key/update", leading, widened)).toMatchObject(forbidden);
  expect((await call("POST", "/key/update", leading, { key: plain.body.token, rpm_limit: 3 })).status).toBe(200);
  // A user who left the organization has no permissions in it.
  await scene.leave(owner.organizationId, lead.userId);
  expect(await call("GET", "/key/list", leading)).toMatchObject(forbidden);
});

test("an organization's admin can't gain an administrator's role through that user's key", async ({ scene }) => {
  const { call } = scene;
  const owner = await scene.addPerson();
  const support = await scene.addPerson();
  await scene.makeAdministrator(support.userId);
  await scene.join(owner.organizationId, support.userId, "member");
  const forbidden = { status: 403, body: { error: { code: "admin_only" } } };
  const user_id = String(support.userId);
  expect(await call("POST", "/key/generate", owner.managing, { user_id })).toMatchObject(forbidden);
  const made = await call("POST", "/key/generate", scene.master, { team_id: owner.teamId, user_id });
  expect(made.status, made.text).toBe(200);
  expect(await call("POST", `/key/${made.body.token}/regenerate`, owner.managing)).toMatchObject(forbidden);
  const rotated = await scene.hosted.api("POST", "/api/api-keys/rotate", {
    token: owner.token,
    body: { apiKey: made.body.token_id },
  });
  expect(rotated.status, rotated.text).toBe(403);
});

test("rejects unsupported or invalid fields and names them", async ({ scene }) => {
  const { call } = scene;
  const ada = await scene.addPerson();
  const refusal = (param: string) => ({ status: 400, body: { error: { code: "invalid_request", param } } });
  const generate = (body: object) => call("POST", "/key/generate", ada.managing, body);
  expect(await generate({ soft_budget: 3 })).toMatchObject(refusal("soft_budget"));
  expect(await generate({ model_max_budget: { gpt: { budget_limit: 1 } } })).toMatchObject(refusal("model_max_budget"));
  expect(await generate({ key: "sk-our-own-words-0001" })).toMatchObject(refusal("key"));
  expect(await generate({ grace_period: "1d" })).toMatchObject(refusal("grace_period"));
  expect(await generate({ allowed_routes: ["/key/*"] })).toMatchObject(refusal("allowed_routes"));
  expect(await generate({ duration: "30d", expires: "2099-01-01" })).toMatchObject(refusal("expires"));
  expect(await generate({ guardrails: ["nothing"] })).toMatchObject(refusal("guardrails"));
  expect(await generate({ user_id: "invalid" })).toMatchObject(refusal("user_id"));
  expect(await generate({ budget_duration: "1d" })).toMatchObject(refusal("budget_duration"));
  expect(await call("POST", "/key/generate", scene.master, {})).toMatchObject(refusal("team_id"));
  expect(await call("POST", "/key/update", ada.managing, { key: "sk-tg-AB…wxyz", rpm_limit: 1 })).toMatchObject(
    refusal("key"),
  );
  expect((await generate({ rpm_limit: "many" })).status).toBe(422);
  for (const text of ["\u0000", "\ud800"]) {
    expect((await generate({ metadata: { note: text } })).status).toBe(400);
    expect((await call("GET", `/key/info?key=${encodeURIComponent("a\u0000")}`, ada.managing)).status).toBe(400);
  }
});

test("an administrator's key can manage every organization, on the routes that the key allows", async ({ scene }) => {
  const { call } = scene;
  const ada = await scene.addPerson();
  const admin = await scene.addPerson();
  await scene.makeAdministrator(admin.userId);
  const listed = await call("GET", `/key/list?organization_id=${ada.organizationId}`, admin.managing);
  expect(listed.body).toMatchObject({ total_count: 1, keys: [{ team_id: ada.teamId }] });
  const narrow = await call("POST", "/key/generate", admin.managing, { allowed_routes: ["/key/list"] });
  expect(narrow.body.allowed_routes).toEqual(["/key/list"]);
  expect((await call("GET", "/key/list", narrow.body.key)).status).toBe(200);
  expect(await call("POST", "/key/delete", narrow.body.key, { keys: [listed.body.keys[0].token] })).toMatchObject({
    status: 403,
    body: { error: { code: "route_not_allowed" } },
  });
  const made = await call("POST", "/key/generate", admin.managing, {
    team_id: ada.teamId,
    user_id: String(ada.userId),
  });
  expect(made.body).toMatchObject({ organization_id: ada.organizationId, user_id: String(ada.userId) });
  expect((await call("POST", "/key/delete", admin.managing, { keys: [made.body.token] })).status).toBe(200);
});

test("reports an unavailable database as a server error", async () => {
  const management = openManagement({
    connectionString: "postgres://nobody@127.0.0.1:1/none",
    settings: () => testSettings(),
    secrets: null,
  });
  const manager = {
    keyId: "master",
    isMaster: true,
    userId: null,
    teamId: null,
    organizationId: null,
    allowedRoutes: null,
    requestId: "one",
  };
  const found = runAsKeyCreator(management.services, manager, (acting) => findTeam(acting, "team"));
  await expect(found).rejects.toMatchObject({ code: "DB_TIMEOUT" });
  await management.close();
});
