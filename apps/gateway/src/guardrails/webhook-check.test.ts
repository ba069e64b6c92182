import { createHmac } from "node:crypto";
import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, hang, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { chunksOf, errorOf, test } from "../http/routes/chat-gateway.fixture.ts";

const usual = { model: "alpha", inputTokens: 9, outputTokens: 4 };
const asks = (content: string) => ({ model: "alpha", messages: [{ role: "user", content }] });

/** Returns two guardrails with the same URL: `strict` blocks unchecked text, and `lax` allows it. */
const hooks = (origin: string, mode: string) => `guardrails:
  - {guardrail_name: strict, litellm_params: {guardrail: webhook, mode: ${mode}, url: "${origin}/check?a=b", secret: s3cret, api_key: k3y}}
  - {guardrail_name: lax, litellm_params: {guardrail: webhook, mode: ${mode}, url: "${origin}/check", on_error: allow}}
`;

describe("webhook guardrail", () => {
  test("sends a signed request with the text and the caller, and applies the response", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: hooks(upstreams.beta.origin, "pre_call") });
    upstreams.alpha.replies(200, chatAnswer(usual));
    upstreams.beta.behaves(
      reply(200, { action: "allow" }),
      reply(200, { action: "block", message: "not today" }),
      reply(200, { action: "mask", content: ["something else"] }),
    );
    expect((await gateway.chat({ ...asks("hellö"), guardrails: ["strict"], user: "u-1" })).status).toBe(200);
    const asked = await upstreams.beta.request(0);
    expect([asked.method, asked.path]).toEqual(["POST", "/check?a=b"]);
    expect(asked.json()).toEqual({
      stage: "pre_call",
      request: { texts: ["hellö"] },
      metadata: {
        call_id: expect.any(String),
        operation: "chat.completions",
        model: "alpha",
        stream: false,
        key_id: "master",
        team_id: null,
        organization_id: null,
        end_user: "u-1",
      },
    });
    expect(asked.headers.authorization).toBe("Bearer k3y");
    const [, seconds, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(asked.headers["x-gw-signature"])) ?? [];
    expect(createHmac("sha256", "s3cret").update(`${seconds}.`).update(asked.body).digest("hex")).toBe(digest);

    const blocked = await gateway.chat({ ...asks("hello"), guardrails: ["strict"] });
    expect(blocked.status).toBe(400);
    expect(await errorOf(blocked)).toMatchObject({
      code: "guardrail_blocked",
      message: expect.stringContaining("not today"),
      provider_specific_fields: { guardrail_name: "strict" },
    });
    expect((await gateway.chat({ ...asks("hello"), guardrails: ["strict"] })).status).toBe(200);
    expect((await upstreams.alpha.request(1)).json()).toMatchObject({
      messages: [{ role: "user", content: "something else" }],
    });
  });

  const wrong: [string, Behavior][] = [
    ["fails", reply(500, { action: "allow" })],
    ["returns an unknown format", reply(200, "allow")],
    ["does not return JSON", reply(200, "<html>", { "content-type": "text/html" })],
    ["masks a different number of texts", reply(200, { action: "mask", content: ["a", "b"] })],
    ["returns too much data", reply(200, { action: "allow", padding: "x".repeat(200_000) })],
    ["redirects", reply(302, "", { location: "/allow" })],
  ];
  test.for(wrong)("that %s falls back to the on_error policy", async ([, behavior], { start, upstreams }) => {
    const gateway = await start({ yaml: hooks(upstreams.beta.origin, "pre_call") });
    upstreams.alpha.replies(200, chatAnswer(usual));
    upstreams.beta.behaves(behavior);
    const strict = await gateway.chat({ ...asks("hello"), guardrails: ["strict"] });
    expect(strict.status).toBe(400);
    expect(await errorOf(strict)).toMatchObject({
      provider_specific_fields: { guardrail_name: "strict", is_unavailable: true },
    });
    expect((await gateway.chat({ ...asks("hello"), guardrails: ["lax"] })).status).toBe(200);
    expect([upstreams.alpha.requests.length, upstreams.beta.requests.length]).toEqual([1, 2]);
  });

  test("that does not respond delays the first calls by about five seconds, but not later calls", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: hooks(upstreams.beta.origin, "pre_call") });
    upstreams.alpha.replies(200, chatAnswer(usual));
    upstreams.beta.behaves(hang());
    const awakeTime = watchAwakeTime();
    const ask = async (guardrail: string) => {
      const startedAtMs = performance.now();
      const { status } = await gateway.chat({ ...asks("hello"), guardrails: [guardrail] });
      return { status, seconds: awakeTime(startedAtMs, performance.now()) / 1_000 };
    };
    const many = (guardrail: string) => Promise.all(Array.from({ length: 5 }, () => ask(guardrail)));
    const [strict, lax] = await Promise.all([many("strict"), many("lax")]);
    expect(strict.map(({ status }) => status)).toEqual(Array(5).fill(400));
    expect(lax.map(({ status }) => status)).toEqual(Array(5).fill(200));
    for (const { seconds } of [...strict, ...lax]) expect(seconds).toBeLessThan(7);
    const asked = upstreams.beta.requests.length;
    expect(await ask("strict")).toMatchObject({ status: 400 });
    expect((await ask("lax")).seconds).toBeLessThan(1);
    expect(upstreams.beta.requests).toHaveLength(asked);
  });

  test("that rejects the content of one caller is still called for other callers", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: hooks(upstreams.beta.origin, "pre_call") });
    upstreams.alpha.replies(200, chatAnswer(usual));
    upstreams.beta.replies(413, "too long");
    for (let times = 0; times < 6; times += 1) await gateway.chat({ ...asks("endless"), guardrails: ["lax"] });
    upstreams.beta.replies(200, { action: "block", message: "no" });
    const blocked = await gateway.chat({ ...asks("hello"), guardrails: ["lax"] });
    expect(await errorOf(blocked)).toMatchObject({ code: "guardrail_blocked" });
  });

  test("checks a stream window by window and sends masked text", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: hooks(upstreams.beta.origin, "post_call") });
    const pieces = Array.from({ length: 300 }, (_, index) => `word${index} `);
    upstreams.alpha.streams(chatFrames({ ...usual, pieces }));
    upstreams.beta.behaves(
      reply(200, { action: "allow" }),
      reply(200, { action: "mask", content: "[CUT]" }),
      reply(200, { action: "allow" }),
    );
    const answer = await gateway.chat({ ...asks("hello"), stream: true, guardrails: ["strict"] });
    const { chunks, isDone } = chunksOf(await answer.text());
    const choices = chunks.flatMap((each) => each.choices as unknown as { delta: { content?: string } }[]);
    const sent = choices.map(({ delta }) => delta.content ?? "").join("");
    const windows = upstreams.beta.requests.map(
      (request) => (request.json() as { response: { texts: string[] } }).response.texts[0] as string,
    );
    expect(isDone).toBe(true);
    expect(windows.length).toBeGreaterThan(2);
    const all = pieces.join("");
    expect(all.startsWith(windows[0] as string)).toBe(true);
    expect(all.endsWith(windows.at(-1) as string)).toBe(true);
    // The second window repeats the end of the first window, so that a match that spans both windows is detected.
    expect(windows[1]?.startsWith((windows[0] as string).slice(-100))).toBe(true);
    expect(sent).toBe(`${(windows[0] as string).slice(0, -100)}[CUT]${all.slice(all.indexOf(windows[2] as string))}`);
  });

  test("that blocks a stream ends the stream, and the generated tokens are charged", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: hooks(upstreams.beta.origin, "post_call") });
    upstreams.alpha.streams(chatFrames({ ...usual, pieces: ["a", "b"] }));
    upstreams.beta.replies(200, { action: "block" });
    const answer = await gateway.chat({ ...asks("hello"), stream: true, guardrails: ["strict"] });
    expect(answer.status).toBe(400);
    await waitFor("the record", () => gateway.records.length === 1);
    expect(gateway.records).toMatchObject([{ status: "failure", usage: { outputTokens: 4 } }]);
  });
});
