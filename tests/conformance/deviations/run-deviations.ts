import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Api, type ApiAnswer, createApi } from "@tollgate/testkit/api-client.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import type { Report } from "@tollgate/testkit/report.ts";
import { OWN_KEY_GROUP, OWN_KEY_VECTORS } from "../stage/served-groups.ts";
import type { Stage } from "../stage/start-stage.ts";

const SUITE = "seeds-deviations";
const REFUSALS = new URL("../../../docs/reference/refusals.md", import.meta.url);
const CHAT = "/v1/chat/completions";
const EMBEDDINGS = "/v1/embeddings";
const messages = [{ role: "user", content: "hello" }];
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };

/**
 * Checks again each request that was once answered otherwise than the published API says. `D1` and so on are the numbers
 * of the findings. Requests that are still refused are listed, with their reasons.
 */
export async function runDeviations(stage: Stage, report: Report): Promise<void> {
  const api = createApi(stage.tollgate.baseUrl);
  const check = (name: string, run: () => unknown) => report.check(SUITE, name, run);
  await checkTools(stage, api, check);
  await checkValues(stage, api, check);
  await checkOwnKeys(stage, api, check);
  await checkRoles(stage, api, check);
  await checkBodies(stage, api, check);
  await checkSupportedParams(stage, api, check);
  for (const line of listRefusals()) report.note(`stays narrower: ${line}`);
}

type Check = (name: string, run: () => unknown) => Promise<boolean>;

/** Sends a request with the key of the development instance. */
const asker =
  ({ tollgate }: Stage, api: Api) =>
  (path: string, body: object): Promise<ApiAnswer> =>
    api("POST", path, { body, headers: { "x-gw-api-key": tollgate.apiKey } });

async function checkTools(stage: Stage, api: Api, check: Check): Promise<void> {
  const ask = asker(stage, api);
  await check("D1: a function name that OpenAI would judge reaches the upstream", async () => {
    const tools = [{ type: "function", function: { name: "a.b" } }];
    expectStatus(await ask(CHAT, { model: "gpt", messages, tools }), 200);
    assert.deepEqual(lastJson(stage.wires).tools, tools);
  });
  await check("D1: a client-side tool of Anthropic reaches the upstream", async () => {
    const tool = { type: "computer_20250124", name: "computer", display_width_px: 800, display_height_px: 600 };
    expectStatus(await ask(CHAT, { model: "claude", messages, tools: [tool] }), 200);
    assert.deepEqual(lastJson(stage.wires).tools, [tool]);
  });
  for (const [model, tool] of [
    ["flash", { googleSearch: {} }],
    ["claude", { type: "web_search_20250305", name: "web_search" }],
  ] as const) {
    await check(`D1: a search with a price in the catalog reaches the upstream (${model})`, async () => {
      expectStatus(await ask(CHAT, { model, messages, tools: [tool] }), 200);
      assert.deepEqual(lastJson(stage.wires).tools, [tool]);
    });
  }
  await check("D1: a tool whose use chat completions don't report is refused", async () => {
    const count = stage.wires.requests.length;
    const answer = await ask(CHAT, { model: "gpt", messages, tools: [{ type: "web_search_preview" }] });
    assert.equal(expectStatus(answer, 400).body.error.code, "unsupported_tool");
    assert.equal(stage.wires.requests.length, count);
  });
  await check("D2: a service_tier with a price in the catalog reaches the upstream", async () => {
    expectStatus(await ask(CHAT, { model: "gpt", messages, service_tier: "priority" }), 200);
    assert.equal(lastJson(stage.wires).service_tier, "priority");
  });
  await check("D2: a service_tier without a price is refused", async () => {
    const count = stage.wires.requests.length;
    const answer = await ask(CHAT, { model: "gpt", messages, service_tier: "flex" });
    assert.equal(expectStatus(answer, 400).body.error.code, "unsupported_parameter");
    assert.equal(stage.wires.requests.length, count);
  });
}

async function checkValues(stage: Stage, api: Api, check: Check): Promise<void> {
  const ask = asker(stage, api);
  await check("D3: 70 content parts in a message", async () => {
    const content = Array.from({ length: 70 }, () => image);
    const answer = expectStatus(await ask(CHAT, { model: "sim/vision", messages: [{ role: "user", content }] }), 200);
    assert.match(answer.text, /I see 70 images/);
  });
  const audio = { type: "input_audio", input_audio: { data: "UklGRg==", format: "flac" } };
  const wide: readonly (readonly [string, object])[] = [
    ["response_format of another type", { response_format: { type: "grammar", grammar: "root ::= [0-9]" } }],
    ["tool_choice any", { tools: [{ type: "function", function: { name: "f" } }], tool_choice: "any" }],
    ["five stop sequences", { stop: ["a", "b", "c", "d", "e"] }],
    ["six fallbacks", { fallbacks: Array.from({ length: 6 }, () => "sim/echo") }],
    ["eleven retries", { num_retries: 11 }],
    ["65 metadata entries", { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, "v"])) }],
    ["audio in another format", { messages: [{ role: "user", content: [audio] }] }],
    ["no messages", { messages: [] }],
  ];
  for (const [name, fields] of wide) {
    await check(`D7: ${name}`, async () => {
      expectStatus(await ask(CHAT, { model: "gpt", messages, ...fields }), 200);
    });
  }
  await check("D8: an embedding timeout over 600", async () => {
    expectStatus(await ask(EMBEDDINGS, { model: "vectors", input: "x", timeout: 601 }), 200);
  });
}

async function checkOwnKeys(stage: Stage, api: Api, check: Check): Promise<void> {
  const ask = asker(stage, api);
  await check("D4: URLs, credentials, and logging are refused by default", async () => {
    const fields = { api_base: "https://example.com", api_key: "sk-mine", gw_logging_obj: {}, logger_fn: "print" };
    for (const [name, value] of Object.entries(fields)) {
      const answer = expectStatus(await ask(EMBEDDINGS, { model: "vectors", input: "x", [name]: value }), 400);
      assert.equal(answer.body.error.code, "client_side_credentials_not_allowed");
    }
  });
  await check("D4: a deployment can take the caller's own key, at its own price", async () => {
    const own = `sk-own-${randomUUID()}`;
    for (const [path, body] of [
      [EMBEDDINGS, { model: OWN_KEY_VECTORS, input: "x" }],
      [CHAT, { model: OWN_KEY_GROUP, messages }],
    ] as const) {
      const answer = expectStatus(await ask(path, { ...body, api_key: own }), 200);
      assert.equal(answer.headers.get("x-gw-response-cost-nano-usd"), "0");
      assert.equal(stage.wires.requests.at(-1)?.headers.authorization, `Bearer ${own}`);
      expectStatus(await ask(path, body), 200);
      assert.notEqual(stage.wires.requests.at(-1)?.headers.authorization, `Bearer ${own}`);
    }
  });
}

async function checkRoles({ tollgate }: Stage, api: Api, check: Check): Promise<void> {
  const listOf = (key: string, team: string) =>
    api("GET", `/v1/models?team_id=${team}`, { headers: { "x-gw-api-key": key } });
  const owner = await signUp(api);
  const stranger = await signUp(api);
  const other = await api("POST", "/api/gw/teams", { token: owner.token, body: { name: "Other" } });
  const otherTeam = expectStatus(other, 201).body.team.id as string;
  const key = await createKey(api, owner.token, owner.teamId);
  await check("D5: an organization owner's key lists the models of each of their teams", async () => {
    for (const team of [owner.teamId, otherTeam]) expectStatus(await listOf(key, team), 200);
    assert.equal(expectStatus(await listOf(key, stranger.teamId), 403).body.error.code, "not_team_member");
    expectStatus(await listOf(key, "team_00000000000000000000000000"), 404);
  });
  await check("D6: an administrator's key is proxy administrator", async () => {
    expectStatus(await listOf(tollgate.apiKey, stranger.teamId), 200);
    const shown = async (secret: string) =>
      (await api("GET", "/v1/model/info", { headers: { "x-gw-api-key": secret } })).text.includes('"api_base"');
    assert.deepEqual([await shown(tollgate.apiKey), await shown(key)], [true, false]);
    const drained = await api("POST", "/health/drain", { headers: { "x-gw-api-key": tollgate.apiKey } });
    assert.equal(expectStatus(drained, 403).body.error.code, "admin_only");
  });
}

async function checkBodies({ tollgate }: Stage, api: Api, check: Check): Promise<void> {
  const published = await api("GET", "/openapi.json");
  const operations = operationsWithBody(published.body);
  const send = (method: string, path: string, body: string | undefined, contentType: string) =>
    api(method, path, {
      ...(body !== undefined && { body }),
      headers: { "x-gw-api-key": tollgate.masterKey, "content-type": contentType },
    });
  await check(`D9: no body is 422 missing on ${operations.length} operations`, async () => {
    for (const { method, path, mediaType } of operations) {
      assert.deepEqual(problemOf(await send(method, path, undefined, mediaType)), [422, ["body"], "missing"], path);
    }
  });
  const ofJson = operations.filter(({ mediaType }) => mediaType === "application/json");
  await check(`D9: unreadable JSON is 422 json_invalid on ${ofJson.length} operations`, async () => {
    for (const { method, path, mediaType } of ofJson) {
      assert.deepEqual(problemOf(await send(method, path, "{", mediaType)), [422, ["body"], "json_invalid"], path);
    }
  });
  await check("D9: another media type stays 415", async () => {
    for (const { method, path } of operations) expectStatus(await send(method, path, "{}", "text/plain"), 415, path);
  });
}

/** Returns the status, and the location and type of the first problem. Anthropic's format has problems in `details`. */
function problemOf({ status, body }: ApiAnswer): readonly unknown[] {
  const [problem] = body?.detail ?? body?.error?.details?.problems ?? [];
  return [status, problem?.loc, problem?.type];
}

interface PublishedOperation {
  readonly method: string;
  readonly path: string;
  readonly mediaType: string;
}

interface PublishedDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly requestBody?: { required?: boolean; content: object } }>>>
  >;
}

/** Returns the published operations that require a body, with values in place of path parameters. */
function operationsWithBody({ paths }: PublishedDocument): readonly PublishedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      if (requestBody?.required !== true) return [];
      const [mediaType] = Object.keys(requestBody.content);
      const filled = path.replaceAll("{model}", "sim/echo").replaceAll(/\{\w+\}/g, "none");
      return [
        {
          method: method.toUpperCase(),
          path: filled,
          mediaType: mediaType === "multipart/form-data" ? "multipart/form-data; boundary=x" : String(mediaType),
        },
      ];
    }),
  );
}

async function checkSupportedParams({ tollgate }: Stage, api: Api, check: Check): Promise<void> {
  await check("D10: the supported parameters of gpt-4o are those of the model", async () => {
    const path = "/v1/utils/supported_openai_params?model=gpt-4o";
    const answer = await api("GET", path, { headers: { "x-gw-api-key": tollgate.apiKey } });
    const listed = expectStatus(answer, 200).body.supported_openai_params as readonly string[];
    assert.ok(listed.includes("temperature"));
    const surplus = ["thinking", "reasoning_effort", "verbosity"].filter((name) => listed.includes(name));
    assert.deepEqual(surplus, []);
  });
}

/** Returns the refusals that the documentation lists, with their reasons. */
function listRefusals(): readonly string[] {
  const row = /^\| (.+?) \| (4\d\d `\w+`) \| (\S.*) \|$/;
  return readFileSync(REFUSALS, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, request, response, reason] = row.exec(line) ?? [];
      return request === undefined ? [] : [`${request}: ${response}. ${reason}`];
    });
}

function expectStatus(answer: ApiAnswer, status: number, name = ""): ApiAnswer {
  assert.equal(answer.status, status, `${name} ${answer.text.slice(0, 500)}`);
  return answer;
}

function lastJson(upstream: FakeUpstream): Readonly<Record<string, unknown>> {
  return upstream.requests.at(-1)?.json() as Readonly<Record<string, unknown>>;
}

interface Owner {
  readonly token: string;
  readonly teamId: string;
}

async function signUp(api: Api): Promise<Owner> {
  const email = `owner-${randomUUID()}@example.com`;
  const password = "a long example password";
  const body = { email, password, name: "Owner" };
  const { body: signedUp } = expectStatus(await api("POST", "/api/auth/sign-up", { body }), 201);
  const token = signedUp.token as string;
  const teams = await api("GET", "/api/gw/teams", { token });
  return { token, teamId: teams.body.data[0].id as string };
}

async function createKey(api: Api, token: string, teamId: string): Promise<string> {
  const answer = await api("POST", "/api/gw/api-keys", { token, body: { name: "deviations", team_id: teamId } });
  return expectStatus(answer, 201).body.apiKey.token as string;
}
