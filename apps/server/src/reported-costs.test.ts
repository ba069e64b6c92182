import { chatAnswer, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { expect } from "vitest";
import { test } from "./billed-gateway.fixture.ts";

const USD = 1_000_000_000n;
const prices = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002";
const models = `
  - {model_name: routed, litellm_params: {model: openrouter/acme/one, api_base: "{origin}/v1", api_key: unused, ${prices}}}
  - {model_name: other, litellm_params: {model: hosted_vllm/one, api_base: "{origin}/v1", ${prices}}}`;
const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 13, cost: 0.0000123456 };
/** 12 input tokens and one output token. */
const COST = 14_000n;

test("the ledger keeps what OpenRouter reports exactly, and the customer pays the price", async ({
  tollgate,
  upstreams,
  database,
}) => {
  const tenant = await tollgate.addTenant({ credit: USD });
  const gateway = await tollgate.start({ models });
  const answer = { ...chatAnswer({ model: "acme/one" }), usage };
  upstreams.alpha.replies(200, answer);
  const whole = await gateway.chat(tenant.apiKey, { model: "routed", max_tokens: 10 });
  expect(whole.headers.get("x-gw-response-cost-nano-usd")).toBe(String(COST));
  await gateway.chat(tenant.apiKey, { model: "other", max_tokens: 10 });
  const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "acme/one" };
  upstreams.alpha.behaves(
    streamFrames([
      sseFrame({ ...chunk, choices: [{ index: 0, delta: { content: "hi" }, finish_reason: "stop" }] }),
      sseFrame({ ...chunk, choices: [], usage }),
      "data: [DONE]\n\n",
    ]),
  );
  const streamed = await gateway.chat(tenant.apiKey, { model: "routed", max_tokens: 10, stream: true });
  await streamed.text();
  await tollgate.settled(tenant, 3);
  const rows = await querySql(
    database.connectionString,
    `select model_group, is_stream, cost::text, reported_cost::text as reported from usage_events order by 1, 2`,
  );
  const cost = String(COST);
  expect(rows).toEqual([
    { model_group: "other", is_stream: false, cost, reported: null },
    { model_group: "routed", is_stream: false, cost, reported: "12346" },
    { model_group: "routed", is_stream: true, cost, reported: "12346" },
  ]);
});
