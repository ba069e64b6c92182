import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { test } from "./hosted-platform.fixture.ts";

const USD = 1_000_000_000n;
const GUARDRAILS = `guardrails:
  - {guardrail_name: safe, litellm_params: {guardrail: moderation, mode: pre_call, model: metered}}
  - {guardrail_name: words, litellm_params: {guardrail: keyword_block, mode: post_call, keywords: [swordfish]}}
`;
const moderation = { id: "modr-1", model: "m1", results: [{ flagged: false, categories: {}, category_scores: {} }] };

test("a moderation call and a blocked response are each charged once to the caller", async ({
  hosted,
  database,
  upstream,
}) => {
  const person = await hosted.signUp();
  await hosted.addCredit(person, USD);
  const key = await hosted.createKey(person);
  await hosted.reload(GUARDRAILS);
  upstream.behaves(
    reply(200, moderation),
    reply(200, chatAnswer({ inputTokens: 100, outputTokens: 10, content: "It is swordfish." })),
  );
  const answer = await hosted.api("POST", "/v1/chat/completions", {
    token: key.token,
    body: { model: "metered", guardrails: ["safe", "words"], messages: [{ role: "user", content: "hello" }] },
  });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: "guardrail_blocked" } } });
  const calls = await waitFor("both calls in the ledger", async () => {
    const logs = await hosted.api("GET", "/api/gw/logs", { token: person.token });
    return logs.body.data.length === 2 ? logs.body.data : null;
  });
  const reported = calls.map(({ endpoint, class: outcome, apiKeyId }: Record<string, string>) => [
    endpoint,
    outcome,
    apiKeyId === key.id,
  ]);
  expect(reported.toSorted()).toEqual([
    ["chat.completions", "rejected", true],
    ["moderations", "succeeded", true],
  ]);
  expect(new Set(calls.map(({ requestId }: { requestId: string }) => requestId)).size).toBe(1);
  // The cost is 100 input tokens at 1,000 nano-USD plus 10 output tokens at 2,000 nano-USD.
  const [charged] = await querySql<{ cost: string }>(
    database.connectionString,
    `select cost from usage_events where organization_id = '${person.organizationId}' and endpoint = 'chat.completions'`,
  );
  expect(charged?.cost).toBe("120000");
  const { checks } = await findBrokenInvariants(database.connect("tollgate_worker"), {
    organizationId: person.organizationId,
  });
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});
