import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { chatAnswer, chatFrames, errorAnswer } from "@tollgate/testkit/chat-answers.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import type { CallContent } from "../../accounting/accounting.ts";
import type { TestGateway } from "../../test-gateway.fixture.ts";
import { errorOf, type StartOptions, test, UPSTREAM_KEY } from "./chat-gateway.fixture.ts";

const OWN_KEY = "sk-mine-9876543210";

interface Upstreams {
  readonly alpha: FakeUpstream;
  readonly beta: FakeUpstream;
}

/** Returns settings with the groups `byo`, which also has the operator's key, and `only`, which has no key. */
function ownKeyYaml({ alpha, beta }: Upstreams, more = ""): string {
  const takes = "configurable_clientside_auth_params: [api_key]";
  const price = "own_key_price: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }";
  const costs = "input_cost_per_token: 0.00001, output_cost_per_token: 0.00002";
  const at = (origin: string, model: string) => `model: openai/${model}, api_base: "${origin}/v1"`;
  return `
  - { model_name: byo, litellm_params: { ${at(alpha.origin, "m")}, api_key: ${UPSTREAM_KEY}, ${costs}, ${takes} }, model_info: { id: byo-1 } }
  - { model_name: byo, litellm_params: { ${at(beta.origin, "m")}, api_key: ${UPSTREAM_KEY}, ${costs}, ${takes} }, model_info: { id: byo-2 } }
  - { model_name: priced, litellm_params: { ${at(alpha.origin, "m")}, api_key: ${UPSTREAM_KEY}, ${costs}, ${takes}, ${price} } }
  - { model_name: only, litellm_params: { ${at(alpha.origin, "m")}, ${takes} }, model_info: { id: only-1 } }
  - { model_name: "any/*", litellm_params: { ${at(alpha.origin, "*")}, ${takes} } }
${more}`;
}

type Start = (options?: StartOptions) => Promise<TestGateway>;

const startWith = (start: Start, upstreams: Upstreams, more?: string) => start({ yaml: ownKeyYaml(upstreams, more) });

const keysAt = (upstream: FakeUpstream) => upstream.requests.map(({ headers }) => headers.authorization);

describe("a caller's own key", () => {
  test("replaces the operator's key for this call only, and is not in the body", async ({ start, upstreams }) => {
    const gateway = await startWith(start, upstreams);
    upstreams.alpha.replies(200, chatAnswer());
    const ask = async (fields: object) => (await gateway.chat({ model: "priced", ...fields })).status;
    expect(await ask({ api_key: OWN_KEY })).toBe(200);
    expect(await ask({})).toBe(200);
    expect(await ask({ api_key: null })).toBe(200);
    expect(keysAt(upstreams.alpha)).toEqual([`Bearer ${OWN_KEY}`, `Bearer ${UPSTREAM_KEY}`, `Bearer ${UPSTREAM_KEY}`]);
    for (const request of upstreams.alpha.requests) expect(request.json()).not.toHaveProperty("api_key");
  });

  test("leaves all other bytes of the body as they are", async ({ start, upstreams }) => {
    const gateway = await startWith(start, upstreams);
    upstreams.alpha.replies(200, chatAnswer());
    const rest = '"messages" : [{"role":"user","content":"\\u00e9 é"}],\n"seed":12345678901234567, "temperature":1.0e0';
    for (const [body, expected] of [
      [`{"api_key":"${OWN_KEY}", "model":"priced", ${rest}}`, `{ "model":"m", ${rest}}`],
      [`{"model":"priced", "api_key" : "${OWN_KEY}" , ${rest}}`, `{"model":"m",  ${rest}}`],
      [`{"model":"priced",${rest}, "api_key":"${OWN_KEY}" }`, `{"model":"m",${rest}}`],
    ] as const) {
      expect((await gateway.post("/v1/chat/completions", body)).status, body).toBe(200);
      expect(upstreams.alpha.requests.at(-1)?.body.toString("utf8")).toBe(expected);
    }
    const escaped = `{"model":"priced",${rest.replace("12345678901234567", "1")},"api\\u005fkey":"${OWN_KEY}"}`;
    expect((await gateway.post("/v1/chat/completions", escaped)).status).toBe(200);
    expect(keysAt(upstreams.alpha).at(-1)).toBe(`Bearer ${OWN_KEY}`);
    expect(upstreams.alpha.requests.at(-1)?.body.toString("utf8")).not.toContain("api_key");
  });

  test("works in streams, on wildcard models, and on other operations", async ({ start, upstreams }) => {
    const gateway = await startWith(start, upstreams);
    upstreams.alpha.streams(chatFrames());
    await (await gateway.chat({ model: "priced", api_key: OWN_KEY, stream: true })).text();
    upstreams.alpha.replies(200, chatAnswer());
    expect((await gateway.chat({ model: "any/thing", api_key: OWN_KEY })).status).toBe(200);
    upstreams.alpha.replies(200, {
      object: "list",
      data: [{ object: "embedding", index: 0, embedding: [1] }],
      model: "m",
      usage: { prompt_tokens: 1, total_tokens: 1 },
    });
    const embeddings = { model: "priced", input: "x", api_key: OWN_KEY };
    expect((await gateway.post("/v1/embeddings", embeddings)).status).toBe(200);
    expect(keysAt(upstreams.alpha)).toEqual(Array(3).fill(`Bearer ${OWN_KEY}`));
  });

  test("costs the price that the operator set for such calls, which is 0 by default", async ({ start, upstreams }) => {
    const gateway = await startWith(start, upstreams);
    upstreams.alpha.replies(200, chatAnswer({ inputTokens: 10, outputTokens: 5 }));
    upstreams.beta.replies(200, chatAnswer({ inputTokens: 10, outputTokens: 5 }));
    const costOf = async (fields: object) => {
      const answer = await gateway.chat(fields as Record<string, unknown>);
      return answer.headers.get("x-gw-response-cost-nano-usd");
    };
    expect(await costOf({ model: "byo", api_key: OWN_KEY })).toBe("0");
    expect(await costOf({ model: "byo" })).toBe("200000");
    expect(await costOf({ model: "priced", api_key: OWN_KEY })).toBe("20000");
    expect(await costOf({ model: "priced" })).toBe("200000");
    expect(gateway.records.map(({ cost }) => cost)).toEqual([0n, 200_000n, 20_000n, 200_000n]);
  });

  test("needs no price for tools, tiers, and caches, which the provider bills to the caller", async ({
    start,
    upstreams,
  }) => {
    const flex = "input_cost_per_token_flex: 0.000005, output_cost_per_token_flex: 0.000005";
    const costs = `input_cost_per_token: 0.00001, output_cost_per_token: 0.00001, ${flex}`;
    const own = "configurable_clientside_auth_params: [api_key], own_key_price: { input_cost_per_token: 0.000001 }";
    const target = `model: openai/m, api_base: "${upstreams.alpha.origin}/v1", api_key: ${UPSTREAM_KEY}`;
    const gateway = await startWith(
      start,
      upstreams,
      `  - { model_name: tiers, litellm_params: { ${target}, unknown_params: reject, ${costs}, ${own} } }`,
    );
    upstreams.alpha.replies(200, { ...chatAnswer({ inputTokens: 10, outputTokens: 5 }), service_tier: "flex" });
    const costOf = async (fields: object) => {
      const answer = await gateway.chat({ model: "tiers", ...fields });
      return answer.headers.get("x-gw-response-cost-nano-usd") ?? (await errorOf(answer)).param;
    };
    expect(await costOf({ service_tier: "flex" })).toBe("75000");
    expect(await costOf({ service_tier: "flex", api_key: OWN_KEY })).toBe("10000");
    expect(await costOf({ service_tier: "priority" })).toBe("service_tier");
    expect(await costOf({ service_tier: "priority", api_key: OWN_KEY })).toBe("10000");
    expect(await costOf({ web_search_options: {} })).toBe("web_search_options");
    expect(await costOf({ web_search_options: {}, api_key: OWN_KEY })).toBe("10000");
    expect(await costOf({ tools: [{ type: "file_search" }] })).toBe("tools.0");
    expect(await costOf({ tools: [{ type: "file_search" }], api_key: OWN_KEY })).toBe("10000");
  });

  test("replaces an Entra token, which serves the other calls", async ({ start, upstreams }) => {
    const entra = `model: azure/gpt-4o, api_base: "${upstreams.alpha.origin}", azure_ad_token: operator-token`;
    const own = "configurable_clientside_auth_params: [api_key]";
    const yaml = `  - { model_name: entra, litellm_params: { ${entra}, ${own} } }`;
    const gateway = await startWith(start, upstreams, yaml);
    upstreams.alpha.replies(200, chatAnswer());
    expect((await gateway.chat({ model: "entra", api_key: OWN_KEY })).status).toBe(200);
    expect((await gateway.chat({ model: "entra" })).status).toBe(200);
    const sent = upstreams.alpha.requests.map(({ headers }) => [headers["api-key"], headers.authorization]);
    expect(sent).toEqual([
      [OWN_KEY, undefined],
      [undefined, "Bearer operator-token"],
    ]);
  });

  test("is required if the deployment has no key", async ({ start, upstreams }) => {
    const gateway = await startWith(start, upstreams);
    const refused = await gateway.chat({ model: "only" });
    expect(refused.status).toBe(400);
    expect(await errorOf(refused)).toMatchObject({ code: "invalid_request", param: "api_key" });
    expect(upstreams.alpha.requests).toEqual([]);
    upstreams.alpha.replies(200, chatAnswer());
    expect((await gateway.chat({ model: "only", api_key: OWN_KEY })).status).toBe(200);
    expect(keysAt(upstreams.alpha)).toEqual([`Bearer ${OWN_KEY}`]);
  });

  test.for([
    ["where the deployment takes none", { model: "alpha", api_key: OWN_KEY }],
    ["in extra_body", { model: "byo", extra_body: { api_key: OWN_KEY } }],
    ["in metadata", { model: "byo", metadata: { api_key: OWN_KEY } }],
    ["in a fallback", { model: "byo", fallbacks: [{ model: "byo", api_key: OWN_KEY }] }],
    ["as an environment variable", { model: "byo", api_key: "os.environ/OPENAI_API_KEY" }],
    ["with a URL", { model: "byo", api_key: OWN_KEY, api_base: "https://example.com" }],
  ] as const)("is refused %s", async ([, body], { start, upstreams }) => {
    const gateway = await startWith(start, upstreams);
    const answer = await gateway.chat(body);
    expect(answer.status).toBe(400);
    expect((await errorOf(answer)).code).toBe("client_side_credentials_not_allowed");
    expect([...upstreams.alpha.requests, ...upstreams.beta.requests]).toEqual([]);
  });

  test.for(["", "two words", "line\nbreak", "schlüssel"])("cannot be %j", async (key, { start, upstreams }) => {
    const gateway = await startWith(start, upstreams);
    const answer = await gateway.chat({ model: "byo", api_key: key });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ code: "invalid_request", param: "api_key" });
  });

  test("never reaches another URL, through retries or fallbacks", async ({ start, upstreams }) => {
    const gateway = await startWith(start, upstreams, "router_settings: { num_retries: 3, disable_cooldowns: true }");
    upstreams.alpha.replies(503, errorAnswer("busy"));
    upstreams.beta.replies(200, chatAnswer());
    const asked = { model: "priced", api_key: OWN_KEY, fallbacks: ["beta", "byo", "only"], num_retries: 1 };
    expect((await gateway.chat(asked)).status).toBe(503);
    expect(upstreams.beta.requests).toEqual([]);
    expect(new Set(keysAt(upstreams.alpha))).toEqual(new Set([`Bearer ${OWN_KEY}`]));
  });

  test("that the provider rejects is the caller's error, and the deployment stays available", async ({
    start,
    upstreams,
  }) => {
    const gateway = await startWith(start, upstreams, "router_settings: { num_retries: 0, allowed_fails: 0 }");
    upstreams.alpha.replies(401, errorAnswer(`Incorrect API key provided: ${OWN_KEY}.`, { code: "invalid_api_key" }));
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const answer = await gateway.chat({ model: "priced", api_key: OWN_KEY });
      expect(answer.status).toBe(400);
      const error = await errorOf(answer);
      expect(error).toMatchObject({ code: "invalid_request", param: "api_key" });
      expect(JSON.stringify(error)).not.toContain(OWN_KEY);
    }
    for (const status of [402, 403, 429, 500, 503]) {
      upstreams.alpha.replies(status, errorAnswer(`No: ${OWN_KEY}.`, { code: "insufficient_quota" }));
      const answer = await gateway.chat({ model: "priced", api_key: OWN_KEY });
      expect(await answer.text()).not.toContain(OWN_KEY);
    }
    upstreams.alpha.replies(200, chatAnswer());
    expect((await gateway.chat({ model: "priced" })).status).toBe(200);
    expect((await gateway.chat({ model: "priced", api_key: OWN_KEY })).status).toBe(200);
  });

  test("is used by no other call, however many run on the same connections", async ({ start, upstreams }) => {
    const gateway = await startWith(start, upstreams);
    upstreams.alpha.replies(200, chatAnswer());
    const ask = (index: number) =>
      index % 3 === 0
        ? gateway.chat({ model: "priced", user: UPSTREAM_KEY })
        : gateway.chat({ model: "priced", user: `sk-caller-${index}`, api_key: `sk-caller-${index}` });
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(round * 30 + index)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    expect(upstreams.alpha.requests).toHaveLength(150);
    for (const request of upstreams.alpha.requests) {
      expect(request.headers.authorization).toBe(`Bearer ${(request.json() as { user: string }).user}`);
    }
  });

  test("bypasses the response cache", async ({ start, upstreams }) => {
    const gateway = await startWith(start, upstreams, "gw_settings: { cache: true }");
    upstreams.alpha.replies(200, chatAnswer());
    const first = await gateway.chat({ model: "priced", api_key: OWN_KEY, caching: true });
    expect(first.headers.get("x-gw-cache")).toBe("off");
    expect((await gateway.chat({ model: "priced" })).headers.get("x-gw-cache-hit")).toBe("false");
    await gateway.chat({ model: "priced", api_key: OWN_KEY });
    expect(upstreams.alpha.requests).toHaveLength(3);
  });

  test("is not in the stored contents of the call", async ({ start, upstreams, database }) => {
    const platform = database.connect("tollgate_platform");
    const tenant = await addTenant(platform);
    await runAsAdministrator(platform, (transaction) =>
      transaction
        .updateTable("organizations")
        .set({ log_prompts: true })
        .where("id", "=", tenant.organizationId)
        .execute(),
    );
    const kept: CallContent[] = [];
    const gateway = await start({
      yaml: ownKeyYaml(upstreams),
      database: database.connect("tollgate_gateway"),
      contents: { keep: (content) => kept.push(content) },
    });
    upstreams.alpha.replies(200, chatAnswer());
    const headers = { "x-gw-api-key": tenant.apiKey };
    expect((await gateway.chat({ model: "priced", api_key: OWN_KEY }, headers)).status).toBe(200);
    upstreams.alpha.streams(chatFrames());
    await (await gateway.chat({ model: "priced", api_key: OWN_KEY, stream: true }, headers)).text();
    await waitFor("two contents", () => kept.length === 2);
    for (const { request } of kept) {
      expect(request).toContain("hello");
      expect(request).not.toContain(OWN_KEY);
    }
  });

  test("is masked in a preview of the upstream request", async ({ start, upstreams }) => {
    const gateway = await startWith(start, upstreams);
    const request_body = { model: "priced", api_key: OWN_KEY, messages: [{ role: "user", content: "hello" }] };
    const answer = await gateway.post("/utils/transform_request", { call_type: "completion", request_body });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    expect(text).not.toContain(OWN_KEY);
    expect(text).not.toContain(UPSTREAM_KEY);
  });
});
