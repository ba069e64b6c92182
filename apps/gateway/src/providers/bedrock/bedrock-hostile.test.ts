import {
  AMAZON_EVENTS,
  amazonEvent,
  amazonException,
  amazonFrame,
  converseAnswer,
  converseFrames,
} from "@tollgate/testkit/amazon-event-stream.ts";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { type Behavior, reply, streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test-gateway.fixture.ts";

const MAX_TOKENS = 64;
const body = { model: "it", max_tokens: MAX_TOKENS, messages: [{ role: "user", content: "hello" }] };
const HOLD_NANO = Math.ceil(JSON.stringify({ ...body, stream: true }).length / 3) * 1_000 + MAX_TOKENS * 4_000;

let upstream: FakeUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeUpstream();
  gateway = await startTestGateway({
    yaml: `
model_list:
  - model_name: it
    litellm_params:
      model: bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0
      aws_bedrock_runtime_endpoint: "${upstream.origin}"
      aws_access_key_id: AKIDEXAMPLE
      aws_secret_access_key: wJalrXUtnFEMI/K7MDENG
      input_cost_per_token: 0.000001
      output_cost_per_token: 0.000004
router_settings: { num_retries: 0, disable_cooldowns: true }
`,
  });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const [start, one, two, ...rest] = converseFrames(["one ", "two"]) as [Buffer, Buffer, Buffer, ...Buffer[]];
const framed = (...frames: readonly (Buffer | string)[]) => streamFrames(frames, { headers: AMAZON_EVENTS });
const damaged = (frame: Buffer, at: number): Buffer => {
  const copy = Buffer.from(frame);
  copy.writeUInt8((copy.readUInt8(at) + 1) % 256, at);
  return copy;
};
const huge = Buffer.concat([
  amazonFrame({ ":message-type": "event", ":event-type": "x" }, { p: "x".repeat(2_000_000) }),
]);
const usage = (counts: object) => amazonEvent("metadata", { usage: counts });

/**
 * Expected outcome. `refused` is a failure before the first byte. `broken` is a stream that ends with a failure.
 * `whole` is a stream that ends normally.
 */
test.for<[string, Behavior, "refused" | "broken" | "whole"]>([
  ["a first frame with an invalid checksum", framed(damaged(start, start.length - 1), one), "refused"],
  ["a later frame with an invalid checksum", framed(start, one, damaged(two, 30), ...rest), "broken"],
  ["a later frame with an invalid length", framed(start, one, damaged(two, 2), ...rest), "broken"],
  ["a truncated frame", framed(start, one, two.subarray(0, 20)), "broken"],
  ["a truncated first frame", framed(start.subarray(0, 20)), "refused"],
  ["a stream without its final events", framed(start, one), "broken"],
  ["no frames", framed(), "refused"],
  ["an oversized frame", framed(start, one, huge), "broken"],
  ["HTML instead of frames", framed("<html>sorry</html>".repeat(10)), "refused"],
  ["frames with a text content type", streamFrames([start, one, two, ...rest]), "refused"],
  ["server-sent events with the frame content type", framed('data: {"messageStart":{}}\n\n'), "refused"],
  ["a complete response instead of a stream", reply(200, converseAnswer([{ text: "one" }])), "refused"],
  ["an immediate failure", framed(amazonException("throttlingException", { message: "slow down" })), "refused"],
  ["a failure after output", framed(start, one, amazonException("modelStreamErrorException", {})), "broken"],
  ["a failure with a malformed body", framed(start, one, amazonException("validationException", "[[[")), "broken"],
  ["deltas before the message start", framed(one, start, two, ...rest), "refused"],
  ["payloads that aren't objects", framed(start, one, amazonEvent("contentBlockDelta", "7"), two, ...rest), "whole"],
  ["payloads that aren't JSON", framed(start, one, amazonEvent("contentBlockDelta", "{"), two, ...rest), "broken"],
  ["unknown events", framed(start, amazonEvent("later", {}), one, two, ...rest), "whole"],
  [
    "a tool call delta without a start",
    framed(start, amazonEvent("contentBlockDelta", { delta: { toolUse: { input: "{}" } } }), one, ...rest),
    "whole",
  ],
  [
    "negative token counts",
    framed(start, one, two, ...rest.slice(0, -1), usage({ inputTokens: -5, outputTokens: -9 })),
    "whole",
  ],
  [
    "token counts that aren't numbers",
    framed(start, one, two, ...rest.slice(0, -1), usage({ inputTokens: "9", outputTokens: null })),
    "whole",
  ],
  [
    "implausibly high token counts",
    framed(start, one, two, ...rest.slice(0, -1), usage({ inputTokens: 1e300, outputTokens: 1e15 })),
    "whole",
  ],
  ["no token counts", framed(start, one, two, ...rest.slice(0, -1)), "whole"],
])(
  "%s leaks no details, costs no more than the hold, and doesn't affect the next request",
  async ([, behavior, outcome]) => {
    const before = gateway.records.length;
    upstream.behaves(behavior);
    const answer = await gateway.chat({ ...body, stream: true });
    const text = await answer.text();
    if (outcome === "refused") expect([answer.status >= 400, text.includes('"error"')]).toEqual([true, true]);
    else expect(answer.status).toBe(200);
    if (outcome === "broken") {
      expect(text).toContain('data: {"error"');
      expect(text).not.toContain("[DONE]");
    }
    if (outcome === "whole") expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(text).not.toMatch(/undici|node:|\bat \/|AKID|wJalr/);

    upstream.replies(200, converseAnswer([{ text: "sound" }]));
    expect(await (await gateway.chat(body)).json()).toMatchObject({ choices: [{ message: { content: "sound" } }] });
    expect(gateway.records.length).toBe(before + 2);
    const cost = Number(gateway.records[before]?.cost);
    expect([cost >= 0, cost <= HOLD_NANO]).toEqual([true, true]);
    expect(gateway.unexpected.splice(0)).toEqual([]);
  },
);
