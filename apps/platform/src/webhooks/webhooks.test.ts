import { LOOPBACK_TARGETS } from "@tollgate/domain/network/allowed-target.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { describe, expect, onTestFinished } from "vitest";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database, { settings: { publicUrl: "https://gw.example.com" } });
  onCleanup(() => platform.close());
  return platform;
});

const hook = { url: "https://hooks.example.com/in?x=1", events: ["balance.low", "key.created"] };
const create = (platform: TestPlatform, token: string, body: object = hook, headers = {}) =>
  platform.api("POST", "/api/webhooks", { token, body, headers });
const refused = (status: number, reason: string) => ({ status, body: { details: { reason } } });

test("creating a webhook returns its secret once and stores the secret encrypted", async ({ platform, database }) => {
  const ada = await platform.addUser();
  const made = await create(platform, ada.token);
  expect(made).toMatchObject({
    status: 201,
    body: { webhook: { ...hook, status: "active", createdBy: ada.userId, disabledAt: null, lastDeliveredAt: null } },
  });
  const { id, secret } = made.body.webhook as { id: string; secret: string };
  expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  const listed = await platform.api("GET", "/api/webhooks", { token: ada.token });
  expect(listed).toMatchObject({ status: 200, body: { data: [{ id, url: hook.url }], meta: { total: 1 } } });
  expect(listed.text).not.toContain("secret");
  const [stored] = await querySql<{ secret: string }>(
    database.connectionString,
    `select secret from webhooks where id = '${id}'`,
  );
  expect(stored?.secret).not.toContain(secret.slice(6));
  expect(platform.services.secrets.open(stored?.secret ?? "", `webhook:${id}`)).toBe(secret);
});

test("a replayed request with the same idempotency key creates one webhook and returns no secret", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const headers = { "idempotency-key": "once" };
  const first = await create(platform, ada.token, hook, headers);
  const again = await create(platform, ada.token, hook, headers);
  expect(again).toMatchObject({ status: 201, body: { webhook: { id: first.body.webhook.id, secret: null } } });
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

test("a webhook can be deleted once, and the audit log contains both its creation and its deletion without the full URL", async ({
  platform,
  database,
}) => {
  const ada = await platform.addUser();
  const { id } = (await create(platform, ada.token)).body.webhook;
  const remove = () => platform.api("DELETE", `/api/webhooks/${id}`, { token: ada.token });
  expect(await remove()).toMatchObject({ status: 204, text: "" });
  expect(await remove()).toMatchObject(refused(404, "UNKNOWN_OBJECT"));
  const rows = await querySql<{ action: string; row: string }>(
    database.connectionString,
    `select action, to_jsonb(a)::text as row from audit_log a where target ->> 'id' = '${id}' order by seq`,
  );
  expect(rows.map(({ action }) => action)).toEqual(["org.webhook_created", "org.webhook_deleted"]);
  expect(rows[0]?.row).toContain("hooks.example.com");
  expect(rows[0]?.row).not.toContain("/in?x=1");
});

describe("only organization admins", () => {
  test.for([
    ["GET", "/api/webhooks"],
    ["POST", "/api/webhooks"],
    ["DELETE", "/api/webhooks/whk_01J00000000000000000000000"],
  ] as const)("may %s %s", async ([method, path], { platform }) => {
    const ada = await platform.addUser();
    const member = await platform.addMember(ada.organizationId, "member");
    const body = method === "POST" ? { body: hook } : {};
    expect(await platform.api(method, path, { token: member.token, ...body })).toMatchObject(
      refused(403, "ROLE_REQUIRED"),
    );
    expect(await platform.api(method, path, body)).toMatchObject(refused(401, "NOT_SIGNED_IN"));
  });

  test("can list and delete the organization's webhooks, and other organizations get 404", async ({ platform }) => {
    const [ada, bob] = [await platform.addUser(), await platform.addUser()];
    const { id } = (await create(platform, ada.token)).body.webhook;
    expect(await platform.api("DELETE", `/api/webhooks/${id}`, { token: bob.token })).toMatchObject(
      refused(404, "UNKNOWN_OBJECT"),
    );
    expect((await platform.api("GET", "/api/webhooks", { token: bob.token })).body.data).toEqual([]);
    const admin = await platform.addMember(ada.organizationId, "admin");
    expect((await platform.api("GET", "/api/webhooks", { token: admin.token })).body.data).toHaveLength(1);
  });
});

test("limits an organization to ten webhooks under concurrent requests", async ({ platform }) => {
  const ada = await platform.addUser();
  const answers = await Promise.all(Array.from({ length: 14 }, () => create(platform, ada.token)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
  const late = answers.filter(({ status }) => status !== 201);
  for (const answer of late) expect(answer).toMatchObject(refused(409, "LIMIT_REACHED"));
});

describe("creating a webhook", () => {
  test.for([
    ["an unknown event", { ...hook, events: ["key.stolen"] }],
    ["no event", { ...hook, events: [] }],
    ["no URL", { events: ["key.created"] }],
  ] as const)("is rejected with %s", async ([, body], { platform }) => {
    const ada = await platform.addUser();
    expect(await create(platform, ada.token, body)).toMatchObject(refused(400, "INVALID_FIELD"));
  });

  test.for([
    "http://hooks.example.com",
    "https://127.0.0.1/x",
    "https://localhost/x",
    "https://[::1]/x",
    "https://2130706433/x",
    "https://169.254.169.254/latest",
    "https://10.0.0.1/x",
    "https://user:pass@hooks.example.com",
    "https://hooks.example.com/#x",
    "ftp://hooks.example.com",
    "hooks.example.com",
  ])("is rejected for the URL %s", async (url, { platform }) => {
    const ada = await platform.addUser();
    expect(await create(platform, ada.token, { ...hook, url })).toMatchObject(refused(400, "TARGET_REFUSED"));
  });

  test("is rejected for a host name with a private IP address, but not for a host name that doesn't resolve", async ({
    database,
  }) => {
    const answers: Record<string, readonly string[]> = { "inside.example.com": ["93.184.215.14", "192.168.0.1"] };
    const platform = await startTestPlatform(database, {
      settings: { publicUrl: "https://gw.example.com" },
      services: { resolveHost: async (host) => answers[host] ?? Promise.reject(new Error("no such name")) },
    });
    onTestFinished(() => platform.close());
    const { token } = await platform.addUser();
    const inside = await create(platform, token, { ...hook, url: "https://inside.example.com" });
    expect(inside).toMatchObject(refused(400, "TARGET_REFUSED"));
    const unknown = await create(platform, token, { ...hook, url: "https://unknown.example.com" });
    expect(unknown.status).toBe(201);
  });
});

test.for([null, "http://gw.example.com", "https://gw.example.com"])(
  "with the public URL %s, webhooks to loopback addresses are rejected",
  async (publicUrl, { database }) => {
    const platform = await startTestPlatform(database, { settings: { publicUrl } });
    onTestFinished(() => platform.close());
    const { token } = await platform.addUser();
    for (const url of ["http://127.0.0.1:8080/x", "http://localhost/x", "https://localhost/x", "http://[::1]/x"]) {
      expect(await create(platform, token, { ...hook, url }), url).toMatchObject(refused(400, "TARGET_REFUSED"));
    }
  },
);

test("a target on the operator's allowlist is accepted without TLS", async ({ database }) => {
  const platform = await startTestPlatform(database, {
    settings: { outboundAllow: LOOPBACK_TARGETS },
    services: { resolveHost: async () => ["127.0.0.1"] },
  });
  onTestFinished(() => platform.close());
  const { token } = await platform.addUser();
  expect((await create(platform, token, { ...hook, url: "http://127.0.0.1:8080/x" })).status).toBe(201);
  const other = await create(platform, token, { ...hook, url: "http://hooks.example.com" });
  expect(other).toMatchObject(refused(400, "TARGET_REFUSED"));
});
