import type { HealthBoard } from "@tollgate/contracts/management/health-board.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import {
  type HostedPlatform,
  test as hostedTest,
  PASSWORD,
  type Person,
  startHostedPlatform,
} from "./hosted-platform.fixture.ts";

const ADMIN_READS = [
  "/api/admin/deployments",
  "/api/admin/known-models",
  "/api/admin/routing",
  "/api/admin/settings",
  "/api/training/runs",
  "/api/training/runs/x",
  "/api/training/runs/x/files/history.csv",
];

const test = hostedTest.extend("admin", { scope: "file" }, ({ hosted, database }) =>
  becomeAdministrator(hosted, database),
);

async function becomeAdministrator(hosted: HostedPlatform, database: TestDatabase): Promise<Person> {
  const person = await hosted.signUp();
  await runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    transaction.updateTable("users").set({ role: "admin" }).where("email", "=", person.email).execute(),
  );
  const body = { email: person.email, password: PASSWORD };
  return { ...person, token: (await hosted.api("POST", "/api/auth/token", { body })).body.token };
}

test("only administrators can see deployments, routing, settings, and training", async ({ hosted, admin }) => {
  const person = await hosted.signUp();
  for (const path of ADMIN_READS) {
    expect((await hosted.api("GET", path)).status, path).toBe(401);
    expect((await hosted.api("GET", path, { token: person.token })).status, path).toBe(403);
    expect((await hosted.api("GET", path, { token: admin.token })).status, path).not.toBe(403);
  }
  for (const path of ["/api/admin/deployments/metered-1/test", "/api/admin/deployments/metered-1/copy"]) {
    expect((await hosted.api("POST", path, { token: person.token, body: {} })).status, path).toBe(403);
  }
  const body = { model: "metered" };
  expect((await hosted.api("POST", "/api/admin/routing/simulate", { token: person.token, body })).status).toBe(403);
});

test("deployments are listed with their gateway status and without credentials", async ({ hosted, admin }) => {
  const { body, text } = await hosted.api("GET", "/api/admin/deployments", { token: admin.token });
  const metered = body.deployments.find(({ id }: { id: string }) => id === "metered-1");
  expect(metered).toMatchObject({
    group: "metered",
    source: { kind: "file", file: "test.yaml" },
    status: "healthy",
    credential: "set",
    priceSource: "override",
  });
  expect(body.warnings.overridden).toBe(1);
  expect(text).not.toContain("sk-upstream");
});

test("lists the catalog models for a provider type, with prices", async ({ hosted, admin }) => {
  const { token } = admin;
  const { body } = await hosted.api("GET", "/api/admin/known-models?kind=openai", { token });
  expect(body.kinds).toContainEqual({ name: "openai_compatible", needsBaseUrl: true });
  const model = body.models.find(({ model }: { model: string }) => model === "gpt-4o");
  expect(model).toMatchObject({ mode: "chat", pricing: { inputPerMillionTokens: 2_500_000_000 } });
  const none = await hosted.api("GET", "/api/admin/known-models", { token });
  expect(none.body.models).toEqual([]);
});

describe("a deployment test", () => {
  test("makes one real call that is not billed", async ({ hosted, admin, upstream, database }) => {
    upstream.replies(200, chatAnswer());
    const before = upstream.requests.length;
    const { body, status } = await hosted.api("POST", "/api/admin/deployments/metered-1/test", { token: admin.token });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, status: 200, message: "The deployment responds." });
    const parts = Object.values(body.timing as Record<string, number>).reduce((sum, part) => sum + part, 0);
    expect(Math.abs(parts - body.latencyMs)).toBeLessThan(2);
    expect(upstream.requests.length).toBe(before + 1);
    expect(upstream.requests.at(-1)?.json()).toMatchObject({ max_completion_tokens: 1 });
    const [row] = await querySql<{ count: string }>(database.connectionString, "select count(*) from usage_events");
    expect(Number(row?.count)).toBe(0);
  });

  test("returns the provider's status without the credential", async ({ hosted, admin, upstream }) => {
    upstream.replies(401, { error: { message: "no such key" } });
    const { body } = await hosted.api("POST", "/api/admin/deployments/metered-1/test", { token: admin.token });
    expect(body).toMatchObject({ ok: false, status: 401 });
    expect(body.message).not.toContain("sk-");
  });

  test("returns 404 for an unknown deployment", async ({ hosted, admin }) => {
    const { status } = await hosted.api("POST", "/api/admin/deployments/none/test", { token: admin.token });
    expect(status).toBe(404);
  });
});

test("copying a deployment requires a provider in the database, and the copy is served under a different name", async ({
  hosted,
  admin,
}) => {
  const { token } = admin;
  const copy = (body: object) => hosted.api("POST", "/api/admin/deployments/metered-1/copy", { token, body });
  const missing = await copy({});
  expect(missing.status).toBe(409);
  expect(missing.body.details).toMatchObject({ reason: "WRONG_STATE", missing: "provider", kind: "openai" });
  const provider = { slug: "mine", kind: "openai", apiKey: "sk-canary-0123456789" };
  expect((await hosted.api("POST", "/api/admin/providers", { token, body: provider })).status).toBe(201);
  expect((await copy({ id: "metered" })).status, "the deployment in the file keeps its name").toBe(409);
  const made = await copy({});
  expect(made.status, made.text).toBe(201);
  expect(made.body.model).toMatchObject({ id: "metered-copy", provider: "mine", inferenceModelId: "m1" });
  await waitFor("the gateway to serve the copy", async () => {
    const { body } = await hosted.api("GET", "/api/admin/deployments", { token });
    const found = body.deployments.find(({ modelId }: { modelId: string | null }) => modelId === "metered-copy");
    expect(found).toMatchObject({ editable: true, source: { kind: "database" } });
    return found.status === "healthy";
  });
});

test("shows the effective settings without secrets", async ({ hosted, admin }) => {
  const { body, text } = await hosted.api("GET", "/api/admin/settings", { token: admin.token });
  const billing = body.sections.find(({ title }: { title: string }) => title === "billing");
  expect(billing.settings).toContainEqual(
    expect.objectContaining({ name: "provider", value: "fake", source: "file", file: "test.yaml" }),
  );
  expect(text).not.toContain("sk-test-master");
  const general = body.sections.find(({ title }: { title: string }) => title === "general_settings");
  expect(general.settings).toContainEqual(expect.objectContaining({ name: "master_key", value: "set" }));
});

test("deployment health shows each organization only its own calls, and shows deployment IDs only to administrators", async ({
  hosted,
  admin,
  upstream,
}) => {
  const person = await hosted.signUp();
  await hosted.addCredit(person, 1_000_000_000n);
  const { token: key } = await hosted.createKey(person);
  const body = { model: "metered", messages: [{ role: "user", content: "hello" }], max_tokens: 5 };
  const fail = async (status: number) => {
    upstream.replies(status, { error: { message: "nothing like that" } });
    for (let made = 0; made < 4; made += 1) {
      await hosted.api("POST", "/v1/chat/completions", { token: key, body: { ...body, num_retries: 0 } });
    }
  };
  await fail(400);
  const readBoard = async (token: string): Promise<HealthBoard> =>
    (await hosted.api("GET", "/api/gw/health/deployments", { token })).body;
  const rowOf = (board: HealthBoard) => board.deployments.find(({ group }) => group === "metered");
  // The platform caches gateway data for one second, so the first response may predate the calls.
  const board = await waitFor("the calls to be settled and seen", async () => {
    const shown = await readBoard(person.token);
    return rowOf(shown)?.requests === 4 && shown.gateway.overheadP50Ms !== null && shown;
  });
  // Invalid requests say nothing about the provider.
  expect(rowOf(board)).toMatchObject({ failed: 0, status: "healthy", deploymentId: null, lastError: null });
  expect(rowOf(board)?.cells).toHaveLength(96);
  expect(board.incidents).toEqual([]);
  await fail(500);
  const failing = await waitFor("the failures to be settled", async () => {
    const shown = await readBoard(person.token);
    return rowOf(shown)?.requests === 8 && shown;
  });
  expect(rowOf(failing)).toMatchObject({ failed: 4, status: "down", lastError: { httpStatus: 500 } });
  expect(failing.incidents).toContainEqual(expect.objectContaining({ group: "metered", failed: 4, to: null }));
  expect(board.gateway).toMatchObject({ inFlight: 0, queueDepth: 0, overheadP50Ms: expect.any(Number) });
  expect(rowOf(await readBoard(admin.token))).toMatchObject({ deploymentId: "metered-1", requests: 8 });
  const stranger = await hosted.signUp();
  expect(rowOf(await readBoard(stranger.token))).toMatchObject({ requests: 0, lastError: null });
});

test("a gateway's internal health endpoints return 404 without an internal token", async ({ hosted, admin }) => {
  const tries: Record<string, string>[] = [
    {},
    { "x-gw-internal": "x.y.z" },
    { authorization: `Bearer ${admin.token}` },
  ];
  for (const headers of tries) {
    expect((await hosted.api("GET", "/internal/health", { headers })).status).toBe(404);
    const test = await hosted.api("POST", "/internal/health/deployments/metered-1/test", { headers });
    expect(test.status).toBe(404);
  }
});

test("without a gateway, views omit only the data that a gateway provides", async ({ database, upstream }) => {
  const hosted = await startHostedPlatform(database, upstream.origin, "", { gatewayUrl: () => "http://127.0.0.1:1" });
  try {
    const { token } = await becomeAdministrator(hosted, database);
    const { body } = await hosted.api("GET", "/api/admin/deployments", { token });
    const metered = body.deployments.find(({ id }: { id: string }) => id === "metered-1");
    expect(metered).toMatchObject({ status: "unknown", cooldownUntil: null });
    const board = await hosted.api("GET", "/api/gw/health/deployments", { token });
    expect(board.status).toBe(200);
    expect(board.body.gateway).toEqual({
      overheadP50Ms: null,
      overheadP95Ms: null,
      inFlight: null,
      queueDepth: null,
    });
    const tested = await hosted.api("POST", "/api/admin/deployments/metered-1/test", { token });
    expect(tested.status).toBe(503);
  } finally {
    await hosted.stop();
  }
});
