import { expect } from "vitest";
import { MASTER_KEY } from "../../test-gateway.fixture.ts";
import { errorOf, test } from "./chat-gateway.fixture.ts";

const yaml = `guardrails:
  - {guardrail_name: pii, litellm_params: {guardrail: regex_pii, mode: [pre_call, post_call], entities: [email], action: mask}}
  - {guardrail_name: words, litellm_params: {guardrail: keyword_block, mode: pre_call, keywords: [swordfish], default_on: true}}
`;

test("lists guardrails without their patterns, and applies a guardrail without a model call", async ({ start }) => {
  const gateway = await start({ yaml });
  const headers = { "x-gw-api-key": MASTER_KEY };
  const listed = await fetch(`${gateway.url}/guardrails/list`, { headers });
  expect(await listed.json()).toEqual({
    guardrails: [
      {
        guardrail_name: "pii",
        litellm_params: { guardrail: "regex_pii", mode: ["pre_call", "post_call"], default_on: false },
      },
      { guardrail_name: "words", litellm_params: { guardrail: "keyword_block", mode: ["pre_call"], default_on: true } },
    ],
  });
  const apply = (guardrail_name: string, text: string) =>
    gateway.post("/guardrails/apply_guardrail", { guardrail_name, text });
  expect(await (await apply("pii", "to a@example.com")).json()).toEqual({ response_text: "to [EMAIL]" });
  expect(await (await apply("words", "fine")).json()).toEqual({ response_text: "fine" });
  expect(await errorOf(await apply("words", "swordfish"))).toMatchObject({ code: "guardrail_blocked" });
  expect(await errorOf(await apply("none", "x"))).toMatchObject({ param: "guardrail_name" });
  expect((await fetch(`${gateway.url}/guardrails/list`)).status).toBe(401);
  await gateway.chat({ model: "sim/echo", guardrails: ["pii"] });
  const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
  expect(metrics).toMatch(/^gw_guardrail_requests_total\{guardrail="pii",mode="post_call"\} 1$/m);
  expect(metrics).toMatch(/^gw_guardrail_requests_total\{guardrail="words",mode="pre_call"\} \d+$/m);
});
