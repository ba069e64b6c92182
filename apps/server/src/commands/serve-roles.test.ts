import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApi } from "@tollgate/testkit/api-client.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { type ServeInstance, startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { ROOMY_LIMITS, SECRET_KEY, signUp } from "../hosted-platform.fixture.ts";

const program = join(import.meta.dirname, "../../../../bin/tollgate");
const SETTINGS = `model_list: [{ model_name: "sim/*", litellm_params: { model: "sim/*" } }]
billing: { provider: fake }
${ROOMY_LIMITS}
`;

interface ServeOptions {
  readonly roles: string;
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
}

async function serve(database: TestDatabase, { roles, port, env }: ServeOptions): Promise<ServeInstance> {
  const instance = await startServe({
    databaseUrl: database.connectionString,
    settings: SETTINGS,
    roles,
    port,
    env: { TOLLGATE_SECRET_KEY: SECRET_KEY, ...env },
  });
  onTestFinished(instance.kill);
  return instance;
}

/** Creates a run that a worker has to execute. */
async function startRun(url: string, token: string): Promise<{ readonly id: string; readonly thread_id: string }> {
  const api = createApi(url);
  const assistant = await api("POST", "/v1/assistants", { token, body: { model: "sim/echo" } });
  const thread = { messages: [{ role: "user", content: "over there" }] };
  const made = await api("POST", "/v1/threads/runs", { token, body: { assistant_id: assistant.body.id, thread } });
  expect(made.body, made.text).toMatchObject({ status: "queued" });
  return made.body;
}

function completed(url: string, token: string, run: { readonly id: string; readonly thread_id: string }) {
  return waitFor("the run to be completed", async () => {
    const { body } = await createApi(url)("GET", `/v1/threads/${run.thread_id}/runs/${run.id}`, { token });
    if (!["queued", "in_progress", "completed"].includes(body.status)) throw new Error(JSON.stringify(body));
    return body.status === "completed";
  });
}

const message = (apiKey: string, fields: object = {}) => ({
  body: { model: "sim/echo", messages: [{ role: "user", content: "over the wire" }], apiKey, ...fields },
});

test("a standalone platform manages remote gateways and calls them over HTTP", async ({ database }) => {
  const [gatewayPort, platformPort] = [await findFreePort(), await findFreePort()];
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`;
  const platformUrl = `http://127.0.0.1:${platformPort}`;
  const gateway = await serve(database, { roles: "gateway,worker", port: gatewayPort });
  expect(gateway.ready).toEqual({ baseUrl: gatewayUrl, platformUrl: null, uiUrl: null, processes: 1 });
  const platform = await serve(database, {
    roles: "platform",
    port: platformPort,
    env: { TOLLGATE_GATEWAY_URL: gatewayUrl },
  });
  expect(platform.ready).toEqual({ baseUrl: null, platformUrl, uiUrl: `${platformUrl}/ui`, processes: 0 });

  // Only the platform serves the documentation, so the gateway must not link to itself.
  const refused = await createApi(gatewayUrl)("GET", "/v1/models");
  expect(refused.body.error.doc_url).toBe("/docs/errors/codes/missing_api_key");
  const api = createApi(platformUrl);
  expect((await api("GET", refused.body.error.doc_url)).status).toBe(200);
  const person = await signUp(api);
  const { token } = person;
  const made = await api("POST", "/api/gw/api-keys", { token, body: { name: "ci", team_id: person.teamId } });
  const key = made.body.apiKey;
  const answer = await api("POST", "/api/gw/messages", { token, ...message(key.id) });
  expect(answer).toMatchObject({ status: 200, body: { choices: [{ message: { content: "over the wire" } }] } });
  const streamed = await api("POST", "/api/gw/messages", { token, ...message(key.id, { stream: true }) });
  expect(streamed.text).toMatch(/data: \[DONE\]\n\n$/);
  await waitFor("the calls in the log", async () => {
    const { body } = await api("GET", "/api/gw/logs?endpoint=platform.messages", { token });
    return body.data.length === 2;
  });

  // The worker finds the local gateway without a configured URL.
  await completed(gatewayUrl, key.token, await startRun(gatewayUrl, key.token));

  // Each process serves only the endpoints of its role.
  expect((await api("GET", "/v1/models", { headers: { "x-gw-api-key": key.token } })).status).toBe(404);
  for (const path of ["/api/health", "/ui/", "/fallback/login"]) {
    expect((await createApi(gatewayUrl)("GET", path)).status, path).toBe(404);
  }
  expect((await fetch(`${platformUrl}/fallback/login`)).status).toBe(200);
  expect((await fetch(`${platformUrl}/ui/config.json`)).status).toBe(200);

  // A change made through the platform reaches the gateway.
  const models = async () =>
    (await createApi(gatewayUrl)("GET", "/v1/models", { headers: { "x-gw-api-key": key.token } })).status;
  expect(await models()).toBe(200);
  await api("POST", "/api/api-keys/update", { token, body: { token: key.id, disabled: true } });
  await waitFor("the refusal", async () => (await models()) === 401, { limitMs: 1_000 });
  await api("POST", "/api/api-keys/update", { token, body: { token: key.id, disabled: false } });

  // The platform also reloads its settings on SIGHUP.
  writeFileSync(platform.settingsFile, `${SETTINGS}signUp: { mode: closed }\n`);
  platform.program.signal("SIGHUP");
  await waitFor("sign-up closed", async () => {
    const body = { email: "late@example.org", password: "correct horse battery" };
    return (await api("POST", "/api/auth/sign-up", { body })).status === 403;
  });

  // Without a gateway, the platform responds with an error instead of hanging.
  expect(await gateway.stop()).toBe(0);
  expect(await api("POST", "/api/gw/messages", { token, ...message(key.id) })).toMatchObject({
    status: 503,
    body: { code: "SERVER_ERROR", details: { reason: "UNAVAILABLE" } },
  });
  expect(await platform.stop()).toBe(0);
});

test("gateways host the platform by default, and a message stream in progress finishes after SIGTERM", async ({
  database,
}) => {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const { program: served, ready } = await serve(database, { roles: "gateway,platform,worker", port });
  expect(ready).toEqual({ baseUrl: url, platformUrl: url, uiUrl: `${url}/ui`, processes: 1 });
  const api = createApi(url);
  const person = await signUp(api);
  const body = { name: "ci", team_id: person.teamId };
  const { apiKey } = (await api("POST", "/api/gw/api-keys", { token: person.token, body })).body;
  const answer = await fetch(`${url}/api/gw/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${person.token}`, "content-type": "application/json" },
    body: JSON.stringify(message(apiKey.id, { model: "sim/lorem?tokens=30&tps=40", stream: true }).body),
  });
  served.signal("SIGTERM");
  expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
  expect(await served.exited).toBe(0);
});

test.for([
  ["no secret key", undefined, "TOLLGATE_SECRET_KEY is not set"],
  ["a secret key that is too short", "short", "TOLLGATE_SECRET_KEY is shorter than 32 characters"],
] as const)(
  "with %s, the platform does not start and prints how to generate a key",
  async ([, secretKey, problem], { database }) => {
    const { TOLLGATE_SECRET_KEY: _, ...env } = process.env;
    const child = spawn(program, ["serve", "--processes", "1"], {
      env: {
        ...env,
        DATABASE_URL: database.connectionString,
        PORT: "0",
        ...(secretKey !== undefined && { TOLLGATE_SECRET_KEY: secretKey }),
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let text = "";
    child.stderr.on("data", (data) => (text += data));
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(2);
    expect(text).toContain(problem);
    expect(text).toContain("openssl rand -hex 32");
  },
);

test("a run waits for a remote worker, which uses the configured gateway", async ({ database }) => {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const gateway = await serve(database, { roles: "gateway,platform", port });
  const { token, teamId } = await signUp(createApi(url));
  const made = await createApi(url)("POST", "/api/gw/api-keys", { token, body: { name: "ci", team_id: teamId } });
  const key = made.body.apiKey.token;
  const run = await startRun(url, key);
  const worker = await serve(database, { roles: "worker", port: 0, env: { TOLLGATE_GATEWAY_URL: url } });
  await completed(url, key, run);
  for (const instance of [worker, gateway]) expect(await instance.stop()).toBe(0);
});
