import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { expect } from "vitest";
import { errorOf, test } from "../http/routes/chat-gateway.fixture.ts";

const moderation = (flagged: boolean, violence: boolean) => ({
  id: "modr-1",
  model: "omni",
  results: [{ flagged, categories: { violence, hate: flagged && !violence }, category_scores: {} }],
});
const yaml = (more = "") => `guardrails:
  - {guardrail_name: safe, litellm_params: {guardrail: moderation, mode: pre_call, model: beta, default_on: true, ${more}}}
`;

test("a moderation guardrail blocks flagged text and is recorded as a separate call", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: yaml() });
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 9, outputTokens: 4 }));
  upstreams.beta.behaves(reply(200, moderation(false, false)), reply(200, moderation(true, true)));
  const passed = await gateway.chat({ model: "alpha" }, { "x-gw-call-id": "mine" });
  expect(passed.status).toBe(200);
  expect((await upstreams.beta.request(0)).json()).toEqual({ model: "upstream-2", input: ["hello"] });
  const blocked = await gateway.chat({ model: "alpha" });
  expect(await errorOf(blocked)).toMatchObject({
    code: "guardrail_blocked",
    provider_specific_fields: { guardrail_name: "safe", categories: ["violence"] },
  });
  expect(
    gateway.records.map(({ modelGroup, status, callId }) => `${modelGroup} ${status} ${callId === "mine"}`),
  ).toEqual(["beta success true", "alpha success true", "beta success false"]);
});

test("a moderation guardrail with selected categories ignores all other categories", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: yaml("categories: [hate]") });
  upstreams.alpha.replies(200, chatAnswer({}));
  upstreams.beta.behaves(reply(200, moderation(true, true)), reply(200, moderation(true, false)));
  expect((await gateway.chat({ model: "alpha" })).status).toBe(200);
  expect((await gateway.chat({ model: "alpha" })).status).toBe(400);
});

test("an unavailable moderation model blocks the request unless on_error is allow", async ({ start, upstreams }) => {
  upstreams.alpha.replies(200, chatAnswer({}));
  upstreams.beta.replies(500, {});
  const strict = await start({ yaml: yaml() });
  expect(await errorOf(await strict.chat({ model: "alpha" }))).toMatchObject({
    provider_specific_fields: { is_unavailable: true },
  });
  const missing = await start({ yaml: yaml().replace("model: beta", "model: unknown") });
  expect(await errorOf(await missing.chat({ model: "alpha" }))).toMatchObject({ code: "guardrail_blocked" });
  const lax = await start({ yaml: yaml("on_error: allow") });
  expect((await lax.chat({ model: "alpha" })).status).toBe(200);
});
