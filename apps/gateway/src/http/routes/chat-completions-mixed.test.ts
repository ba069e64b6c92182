import { seededRandom } from "@tollgate/domain/routing/route-world.fixture.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { describe, expect } from "vitest";
import { MASTER_KEY, type TestGateway } from "../../test-gateway.fixture.ts";
import { errorOf, test as gateways, UPSTREAM_KEY } from "./chat-gateway.fixture.ts";

/** Number of random requests, and of client errors. The nightly run sends 10,000 of each. */
const REQUESTS = Number(process.env.MIXED_REQUESTS ?? 400);
const SEED = Number(process.env.MIXED_SEED ?? 7);
const AT_ONCE = 20;

const messages = [{ role: "user", content: "hello" }];

/** Fields that every upstream here accepts. */
const common = "model messages temperature top_p max_tokens stop stream tools response_format frequency_penalty n";
const openAiFields = new Set(
  `${common} seed user store safety_identifier prompt_cache_key service_tier logit_bias logprobs top_logprobs metadata parallel_tool_calls`.split(
    " ",
  ),
);
const mistralFields = new Set(`${common} random_seed parallel_tool_calls safe_prompt prompt_mode`.split(" "));

const unknownTo = (fields: ReadonlySet<string>, body: unknown) =>
  Object.keys(body as object).find((name) => !fields.has(name));

/** Rejects unknown fields as OpenAI does. */
const openAi: Behavior = (exchange) => {
  const unknown = unknownTo(openAiFields, exchange.request.json());
  const error = {
    message: `Unrecognized request argument supplied: ${unknown}`,
    code: "unknown_parameter",
    param: unknown,
  };
  return (unknown === undefined ? reply(200, chatAnswer()) : reply(400, { error }))(exchange);
};

/** Rejects unknown fields as Mistral does. */
const mistral: Behavior = (exchange) => {
  const unknown = unknownTo(mistralFields, exchange.request.json());
  const detail = [{ type: "extra_forbidden", loc: ["body", unknown], msg: "Extra inputs are not permitted" }];
  return (unknown === undefined ? reply(200, chatAnswer()) : reply(422, { detail }))(exchange);
};

const test = gateways.extend("mixed", async ({ start, upstreams }) => {
  const entry = (model: string, origin: string, id: string) =>
    `  - { model_name: mixed, litellm_params: { model: ${model}, api_base: "${origin}/v1", api_key: ${UPSTREAM_KEY} }, model_info: { id: ${id} } }`;
  upstreams.alpha.behaves(openAi);
  upstreams.beta.behaves(mistral);
  return start({
    yaml: [
      entry("openai/gpt-4o", upstreams.alpha.origin, "open-1"),
      entry("mistral/mistral-large-latest", upstreams.beta.origin, "mist-1"),
      "router_settings: { num_retries: 0 }",
    ].join("\n"),
  });
});

const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
const shared: readonly object[] = [
  { temperature: 0.5 },
  { top_p: 0.5 },
  { max_tokens: 9 },
  { seed: 7 },
  { stop: ["x"] },
  { tools },
  { response_format: { type: "json_object" } },
  { frequency_penalty: 1 },
  // These don't change the response, so providers without them don't receive them.
  { user: "someone" },
  { store: true, metadata: { project: "blue" } },
  { safety_identifier: "hash" },
  { prompt_cache_key: "session" },
  { service_tier: "default" },
  { n: 1 },
  { parallel_tool_calls: true },
];
const onlyOpenAi: readonly object[] = [{ logit_bias: { "1": 1 } }, { logprobs: true, top_logprobs: 2 }];
const onlyMistral: readonly object[] = [{ safe_prompt: true }, { prompt_mode: "reasoning" }];
const ofNeither: readonly object[] = [{ reasoning_effort: "low" }, { verbosity: "low" }];

/** Returns random fields, and whether one of the deployments can serve them. */
function drawRequest(random: () => number): { readonly fields: object; readonly canServe: boolean } {
  const draw = (from: readonly object[], chance: number) => from.filter(() => random() < chance);
  const open = draw(onlyOpenAi, 0.3);
  const mist = draw(onlyMistral, 0.2);
  const none = draw(ofNeither, 0.03);
  return {
    fields: Object.assign({}, ...draw(shared, 0.25), ...open, ...mist, ...none),
    canServe: none.length === 0 && (open.length === 0 || mist.length === 0),
  };
}

/** Runs a task this many times, several at once. */
async function repeat(times: number, task: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < times) {
      next += 1;
      await task(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Returns everything that the gateway counts against its deployments. */
async function damageOf({ gateway, url }: TestGateway): Promise<readonly string[]> {
  const text = await (await fetch(`${url}/metrics`, { headers: { "x-gw-api-key": MASTER_KEY } })).text();
  const failures = text
    .split("\n")
    .filter((line) => /^gw_deployment_(failure_responses|cooled_down)_total\{/.test(line));
  const cooled = gateway
    .deploymentStates()
    .filter(({ cooledUntilMs, isUnhealthy }) => cooledUntilMs !== 0 || isUnhealthy);
  return [...failures, ...cooled.map(({ id }) => id)];
}

describe("a group of an OpenAI and a Mistral deployment", () => {
  test("serves every request that one of them can serve, and names the field otherwise", { timeout: 600_000 }, async ({
    mixed,
    upstreams,
  }) => {
    const random = seededRandom(SEED);
    const requests = Array.from({ length: REQUESTS }, () => drawRequest(random));
    const wrong: unknown[] = [];
    await repeat(REQUESTS, async (index) => {
      const { fields, canServe } = requests[index] as (typeof requests)[number];
      const answer = await mixed.chat({ model: "mixed", messages, ...fields });
      const text = await answer.text();
      const isNamed = answer.status === 400 && ["open-1", "mist-1"].every((id) => text.includes(id));
      if (canServe ? answer.status !== 200 : !isNamed) wrong.push({ fields, status: answer.status, text });
    });
    expect(wrong).toEqual([]);
    expect(await damageOf(mixed)).toEqual([]);
    // Both serve what both can serve.
    expect(Math.min(upstreams.alpha.requests.length, upstreams.beta.requests.length)).toBeGreaterThan(REQUESTS / 10);
  });

  test("is not harmed by client errors", { timeout: 600_000 }, async ({ mixed, upstreams }) => {
    const errors = [
      reply(400, { error: { message: "Invalid 'temperature'.", code: "invalid_value", param: "temperature" } }),
      reply(422, { detail: [{ type: "value_error", loc: ["body", "messages"], msg: "Value error" }] }),
      reply(413, { error: { message: "Request too large." } }),
      reply(400, { error: { message: "This content violates our usage policies.", code: "content_policy_violation" } }),
    ];
    let turn = 0;
    const refuse: Behavior = (exchange) => {
      turn += 1;
      return (errors[turn % errors.length] as Behavior)(exchange);
    };
    upstreams.alpha.behaves(refuse);
    upstreams.beta.behaves(refuse);
    const statuses = new Set<number>();
    await repeat(REQUESTS, async () => {
      const answer = await mixed.chat({ model: "mixed", messages });
      statuses.add(answer.status);
      await answer.arrayBuffer();
    });
    expect([...statuses].every((status) => status === 400 || status === 413 || status === 422)).toBe(true);
    // Each request was sent once: the errors name nothing that the other deployment might support.
    expect(upstreams.alpha.requests.length + upstreams.beta.requests.length).toBe(REQUESTS);
    expect(await damageOf(mixed)).toEqual([]);
    upstreams.alpha.behaves(openAi);
    upstreams.beta.behaves(mistral);
    expect((await mixed.chat({ model: "mixed", messages })).status).toBe(200);
  });

  test("drops parameters only if no deployment supports them", async ({ mixed, upstreams }) => {
    for (let turn = 0; turn < 10; turn += 1) {
      const answer = await mixed.chat({ model: "mixed", messages, logit_bias: { "1": 1 }, drop_params: true });
      expect([answer.status, answer.headers.get("x-gw-model-id")]).toEqual([200, "open-1"]);
    }
    expect(upstreams.alpha.requests[0]?.json()).toHaveProperty("logit_bias");
    const answer = await mixed.chat({ model: "mixed", messages, reasoning_effort: "low", drop_params: true });
    expect(answer.status).toBe(200);
  });

  test("reports the failure of the deployment that could have served the request", async ({ mixed, upstreams }) => {
    upstreams.alpha.replies(500);
    const answer = await mixed.chat({ model: "mixed", messages, logit_bias: { "1": 1 }, num_retries: 1 });
    expect(answer.status).toBe(500);
    expect((await errorOf(answer)).code).toBe("internal_error");
  });
});

gateways(
  "tries a deployment with a larger context window after a prompt that is too long",
  async ({ start, upstreams }) => {
    const entry = (window: number, origin: string) =>
      `  - { model_name: long, litellm_params: { model: openai/x, api_base: "${origin}/v1" }, model_info: { id: w-${window}, max_input_tokens: ${window} } }`;
    const gateway = await start({
      yaml: `${entry(1_000, upstreams.alpha.origin)}\n${entry(2_000, upstreams.beta.origin)}\nrouter_settings: { num_retries: 0 }`,
    });
    upstreams.alpha.replies(400, { error: { message: "too long", code: "context_length_exceeded" } });
    upstreams.beta.replies(200, chatAnswer());
    for (let turn = 0; turn < 10; turn += 1) {
      expect((await gateway.chat({ model: "long", messages })).headers.get("x-gw-model-id")).toBe("w-2000");
    }
    upstreams.beta.replies(400, { error: { message: "too long", code: "context_length_exceeded" } });
    expect((await errorOf(await gateway.chat({ model: "long", messages }))).code).toBe("context_length_exceeded");
  },
);

gateways("finds the deployment that has a price for the requested service tier", async ({ start, upstreams }) => {
  const entry = (id: string, prices: string) =>
    `  - { model_name: tiers, litellm_params: { model: openai/x, api_base: "${upstreams.alpha.origin}/v1", input_cost_per_token: 0.000001, output_cost_per_token: 0.000001${prices} }, model_info: { id: ${id} } }`;
  const flex = ", input_cost_per_token_flex: 0.0000005, output_cost_per_token_flex: 0.0000005";
  const gateway = await start({
    yaml: `${entry("base", "")}\n${entry("flex", flex)}\nrouter_settings: { num_retries: 0 }`,
  });
  upstreams.alpha.replies(200, chatAnswer());
  for (let turn = 0; turn < 10; turn += 1) {
    const answer = await gateway.chat({ model: "tiers", messages, service_tier: "flex" });
    expect([answer.status, answer.headers.get("x-gw-model-id")]).toEqual([200, "flex"]);
  }
  expect((await errorOf(await gateway.chat({ model: "tiers", messages, service_tier: "priority" }))).param).toBe(
    "service_tier",
  );
});

gateways("refuses the tier batch, at which no provider serves a single request", async ({ start, upstreams }) => {
  const prices = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000001";
  const gateway = await start({
    yaml: `  - { model_name: tiers, litellm_params: { model: openai/x, api_base: "${upstreams.alpha.origin}/v1", ${prices}, input_cost_per_token_batches: 0.0000005 } }`,
  });
  upstreams.alpha.replies(200, chatAnswer());
  const answer = await gateway.chat({ model: "tiers", messages, service_tier: "batch" });
  expect((await errorOf(answer)).param).toBe("service_tier");
  expect(upstreams.alpha.requests).toHaveLength(0);
});
