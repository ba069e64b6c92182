import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { errorOf, test } from "./chat-gateway.fixture.ts";

interface Entry {
  readonly group: string;
  readonly upstream: FakeUpstream;
  readonly id: string;
  readonly params?: string;
}

const entry = ({ group, upstream, id, params = "" }: Entry) =>
  `  - { model_name: ${group}, litellm_params: { model: openai/${id}, api_base: "${upstream.origin}/v1", api_key: sk-x${params && `, ${params}`} }, model_info: { id: ${id} } }`;
/** Returns YAML settings that begin with model list entries. */
const settingsOf = (entries: readonly Entry[], router = "{}") =>
  `${entries.map(entry).join("\n")}\nrouter_settings: ${router}`;
/** One group served by both upstreams. */
const pair = ({ alpha, beta }: { alpha: FakeUpstream; beta: FakeUpstream }, router = "{}") =>
  settingsOf(
    [
      { group: "pair", upstream: alpha, id: "one" },
      { group: "pair", upstream: beta, id: "two" },
    ],
    router,
  );
const contextError = { error: { message: "too long", code: "context_length_exceeded", param: null } };
const policyError = { error: { message: "no", code: "content_policy_violation", param: null } };
const headersOf = (answer: Response) => ({
  id: answer.headers.get("x-gw-model-id"),
  group: answer.headers.get("x-gw-model-group"),
  retries: answer.headers.get("x-gw-attempted-retries"),
  fallbacks: answer.headers.get("x-gw-attempted-fallbacks"),
});

describe("two deployments of one group", () => {
  test("serve each other's retries after a failure, with and without streaming", async ({ start, upstreams }) => {
    const { chat, records } = await start({ yaml: pair(upstreams) });
    upstreams.alpha.replies(503);
    upstreams.beta.replies(200, chatAnswer({ outputTokens: 3 }));
    for (let calls = 0; calls < 20; calls += 1) expect((await chat({ model: "pair" })).status).toBe(200);
    expect(upstreams.alpha.requests.length).toBeGreaterThan(0);
    expect(new Set(records.map(({ deploymentId }) => deploymentId))).toEqual(new Set(["two"]));
    upstreams.beta.streams(chatFrames());
    for (let calls = 0; calls < 8; calls += 1) {
      const answer = await chat({ model: "pair", stream: true });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain("[DONE]");
    }
  });

  test("serve each other's retries after a malformed response or a stream that starts with an error", async ({
    start,
    upstreams,
  }) => {
    const { chat } = await start({ yaml: pair(upstreams, "{ disable_cooldowns: true }") });
    upstreams.alpha.replies(200, "this is no answer");
    upstreams.beta.replies(200, chatAnswer());
    for (let calls = 0; calls < 10; calls += 1) expect((await chat({ model: "pair" })).status).toBe(200);
    upstreams.alpha.streams(['data: {"error":{"message":"no capacity","code":503}}\n\n']);
    upstreams.beta.streams(chatFrames());
    for (let calls = 0; calls < 10; calls += 1) {
      const answer = await chat({ model: "pair", stream: true });
      expect([answer.status, answer.headers.get("x-gw-model-id")]).toEqual([200, "two"]);
      expect(await answer.text()).toContain("[DONE]");
    }
    expect(upstreams.alpha.requests.length).toBeGreaterThan(4);
  });

  test("lose at most 0.1% of all calls if one deployment randomly fails 15% of its calls", async ({
    start,
    upstreams,
  }) => {
    const { chat } = await start({ yaml: pair(upstreams) });
    const good = reply(200, chatAnswer());
    const bad = reply(503);
    upstreams.alpha.behaves((exchange) => (Math.random() < 0.15 ? bad : good)(exchange));
    upstreams.beta.behaves(good);
    const total = 3_000;
    let failed = 0;
    for (let calls = 0; calls < total; calls += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => chat({ model: "pair" })));
      failed += answers.filter(({ status }) => status !== 200).length;
      await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    }
    expect(failed).toBeLessThanOrEqual(total * 0.001);
    const upstreamCalls = upstreams.alpha.requests.length + upstreams.beta.requests.length;
    expect(upstreamCalls).toBeLessThanOrEqual(total * 1.1);
  });

  test("receive few calls while they fail, and are used again soon after they recover", async ({
    start,
    upstreams,
  }) => {
    const { chat } = await start({ yaml: pair(upstreams, "{ cooldown_time: 3 }") });
    upstreams.alpha.replies(503);
    upstreams.beta.replies(200, chatAnswer());
    for (let calls = 0; calls < 60; calls += 1) expect((await chat({ model: "pair" })).status).toBe(200);
    // The failing deployment received a few calls before its cooldown, and an occasional probe after that.
    expect(upstreams.alpha.requests.length).toBeLessThan(15);
    upstreams.alpha.replies(200, chatAnswer());
    const awakeTime = watchAwakeTime();
    const recoveredAtMs = performance.now();
    const seen = upstreams.alpha.requests.length;
    await waitFor("traffic", async () => {
      await (await chat({ model: "pair" })).arrayBuffer();
      return upstreams.alpha.requests.length > seen + 1;
    });
    expect(awakeTime(recoveredAtMs, performance.now())).toBeLessThan(4_000);
  });

  test("return the shortest remaining cooldown as Retry-After when both deployments are in cooldown", async ({
    start,
    upstreams,
  }) => {
    const { chat } = await start({ yaml: pair(upstreams, "{ num_retries: 0 }") });
    upstreams.alpha.replies(429, {}, { "retry-after": "7" });
    upstreams.beta.replies(429, {}, { "retry-after": "9" });
    for (let calls = 0; calls < 2; calls += 1) await chat({ model: "pair" });
    await waitFor("both to rest", async () => {
      const answer = await chat({ model: "pair" });
      return (await errorOf(answer)).code === "no_deployments_available";
    });
    const refused = await chat({ model: "pair" });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(6);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(7);
  });

  test("do not retry a bad request", async ({ start, upstreams }) => {
    const { chat } = await start({ yaml: pair(upstreams) });
    for (const upstream of [upstreams.alpha, upstreams.beta]) upstream.replies(400, { error: { message: "bad" } });
    expect((await chat({ model: "pair" })).status).toBe(400);
    expect(upstreams.alpha.requests.length + upstreams.beta.requests.length).toBe(1);
  });
});

describe("fallbacks", () => {
  const groups = ({ alpha, beta }: { alpha: FakeUpstream; beta: FakeUpstream }, router: string) =>
    settingsOf(
      [
        { group: "small", upstream: alpha, id: "small-1" },
        { group: "big", upstream: beta, id: "big-1" },
      ],
      router,
    );

  test("respond under their own name when the model group fails", async ({ start, upstreams }) => {
    const { chat, records } = await start({
      yaml: groups(upstreams, "{ num_retries: 0, fallbacks: [{ small: [big] }] }"),
    });
    upstreams.alpha.replies(500);
    upstreams.beta.replies(200, chatAnswer());
    const answer = await chat({ model: "small" });
    expect(headersOf(answer)).toEqual({ id: "big-1", group: "big", retries: "0", fallbacks: "1" });
    expect(await answer.json()).toMatchObject({ model: "big" });
    expect(records).toMatchObject([{ modelGroup: "big", deploymentId: "big-1", status: "success" }]);
  });

  test("receive prompts that are too long or violate the content policy only if configured for that error", async ({
    start,
    upstreams,
  }) => {
    const { chat } = await start({
      yaml: groups(upstreams, "{ context_window_fallbacks: [{ small: [big] }] }"),
    });
    upstreams.alpha.replies(400, contextError);
    upstreams.beta.replies(200, chatAnswer());
    expect((await chat({ model: "small" })).status).toBe(200);
    upstreams.alpha.replies(400, policyError);
    const refused = await chat({ model: "small" });
    expect([refused.status, (await errorOf(refused)).code]).toEqual([400, "content_policy_violation"]);
    const { chat: other } = await start({
      yaml: groups(upstreams, "{ content_policy_fallbacks: [{ small: [big] }] }"),
    });
    expect((await other({ model: "small" })).status).toBe(200);
  });

  test("can be named or disabled in a request", async ({ start, upstreams }) => {
    const { chat } = await start({ yaml: groups(upstreams, "{ num_retries: 0 }") });
    upstreams.alpha.replies(500);
    upstreams.beta.replies(200, chatAnswer());
    expect((await chat({ model: "small", fallbacks: ["big"] })).status).toBe(200);
    expect((await chat({ model: "small", fallbacks: [{ model: "big" }] })).status).toBe(200);
    expect((await chat({ model: "small", fallbacks: ["big"], disable_fallbacks: true })).status).toBe(500);
    expect((await chat({ model: "small", fallbacks: ["unheard-of"] })).status).toBe(404);
    upstreams.alpha.replies(400, contextError);
    expect((await chat({ model: "small", context_window_fallback_dict: { small: "big" } })).status).toBe(200);
  });

  test("in a request can override fields, and the request is rejected if these fields are invalid", async ({
    start,
    upstreams,
  }) => {
    const { chat } = await start({ yaml: groups(upstreams, "{ num_retries: 0 }") });
    upstreams.alpha.replies(500);
    upstreams.beta.replies(200, chatAnswer());
    const messages = [{ role: "user", content: "größer" }];
    expect((await chat({ model: "small", fallbacks: [{ model: "big", messages, temperature: 0 }] })).status).toBe(200);
    expect(upstreams.beta.requests[0]?.json()).toEqual({ model: "big-1", messages, temperature: 0 });
    expect((await chat({ model: "small", fallbacks: [{ model: "big", temperature: "9" }] })).status).toBe(422);
  });

  test("are limited to six upstream attempts per call, regardless of the configuration", async ({
    start,
    upstreams,
  }) => {
    const yaml = settingsOf(
      ["a", "b", "c", "d", "e"].map((group, index) => ({
        group,
        upstream: index % 2 === 0 ? upstreams.alpha : upstreams.beta,
        id: `${group}-1`,
      })),
      "{ num_retries: 1, max_fallbacks: 10, fallbacks: [{ a: [b, c, d, e] }] }",
    );
    const { chat } = await start({ yaml });
    for (const upstream of [upstreams.alpha, upstreams.beta]) upstream.replies(503);
    expect((await chat({ model: "a" })).status).toBe(503);
    expect(upstreams.alpha.requests.length + upstreams.beta.requests.length).toBeLessThanOrEqual(6);
  });
});

test("a request can set its number of retries", async ({ start, upstreams }) => {
  const { chat } = await start({ yaml: pair(upstreams, "{ disable_cooldowns: true }") });
  for (const upstream of [upstreams.alpha, upstreams.beta]) upstream.replies(503);
  const asked = () => upstreams.alpha.requests.length + upstreams.beta.requests.length;
  await chat({ model: "pair", num_retries: 0 });
  expect(asked()).toBe(1);
  const failed = await chat({ model: "pair" }, { "x-gw-num-retries": "1" });
  expect(asked()).toBe(3);
  expect(headersOf(failed)).toMatchObject({ group: "pair", retries: "1", fallbacks: "0" });
  expect(failed.headers.get("x-gw-max-retries")).toBe("1");
  const refused = await chat({ model: "pair" }, { "x-gw-num-retries": "two" });
  expect(refused.status).toBe(422);
  expect(await errorOf(refused)).toMatchObject({ param: "x-gw-num-retries" });
  expect(asked()).toBe(3);
  await chat({ model: "pair", num_retries: -1 });
  expect(asked()).toBe(4);
});

test("the error for an unknown fallback names the fallbacks parameter", async ({ gateway }) => {
  const answer = await gateway.chat({ model: "sim/echo", fallbacks: ["nowhere"] });
  expect(answer.status).toBe(404);
  expect(await errorOf(answer)).toMatchObject({ code: "model_not_found", param: "fallbacks" });
});

test("total_timeout limits each attempt", async ({ start, upstreams }) => {
  const { chat } = await start({ yaml: pair(upstreams, "{ total_timeout: 1.5 }") });
  for (const upstream of [upstreams.alpha, upstreams.beta]) upstream.hangs();
  const awakeTime = watchAwakeTime();
  const startedAtMs = performance.now();
  expect((await chat({ model: "pair" })).status).toBe(408);
  expect(awakeTime(startedAtMs, performance.now())).toBeLessThan(2_500);
  expect(upstreams.alpha.requests.length + upstreams.beta.requests.length).toBe(1);
});

test("tags and regions select deployments", async ({ start, upstreams }) => {
  const yaml = settingsOf(
    [
      { group: "tagged", upstream: upstreams.alpha, id: "paid", params: "tags: [paid], region_name: eu" },
      { group: "tagged", upstream: upstreams.beta, id: "free", params: "tags: [free, default], region_name: us" },
    ],
    "{ enable_tag_filtering: true }",
  );
  const { chat } = await start({ yaml });
  for (const upstream of [upstreams.alpha, upstreams.beta]) upstream.replies(200, chatAnswer());
  const idOf = async (fields: object, headers = {}) =>
    (await chat({ model: "tagged", ...fields }, headers)).headers.get("x-gw-model-id");
  expect(await idOf({ tags: ["paid"] })).toBe("paid");
  expect(await idOf({ metadata: { tags: ["paid"] } })).toBe("paid");
  expect(await idOf({}, { "x-gw-tags": "paid" })).toBe("paid");
  expect(await idOf({})).toBe("free");
  expect(await idOf({ tags: ["unknown"] })).toBe("free");
  const refused = await chat({ model: "tagged", tags: ["paid"], allowed_model_region: "us" });
  expect([refused.status, (await errorOf(refused)).code]).toEqual([403, "tag_not_allowed"]);
});
