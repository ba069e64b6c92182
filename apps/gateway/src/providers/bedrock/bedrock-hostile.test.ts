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
 * `refused`: a failure before the first byte. `broken`: a stream that ends with a failure. `whole`: a stream that ends
 * normally.
 */
test.for<[string, Behavior, "refused" | "broken" | "whole"]>([
  ["a first frame with a wrong checksum", framed(damaged(start, start.length - 1), one), "refused"],
  ["a wrong checksum in the middle", framed(start, one, damaged(two, 30), ...rest), "broken"],
  ["a wrong length in the middle", framed(start, one, damaged(two, 2), ...rest), "broken"],
  ["an end in the middle of a frame", framed(start, one, two.subarray(0, 20)), "broken"],
  ["an end in the middle of the first frame", framed(start.subarray(0, 20)), "refused"],
  ["an end before the answer's", framed(start, one), "broken"],
  ["no frames", framed(), "refused"],
  ["a frame too large", framed(start, one, huge), "broken"],
  ["words where frames should be", framed("<html>sorry</html>".repeat(10)), "refused"],
  ["frames under the name of text", streamFrames([start, one, two, ...rest]), "refused"],
  ["events under the name of frames", framed('data: {"messageStart":{}}\n\n'), "refused"],
  ["a whole answer where a stream was asked", reply(200, converseAnswer([{ text: "one" }])), "refused"],
  ["a failure at once", framed(amazonException("throttlingException", { message: "slow down" })), "refused"],
  ["a failure in the middle", framed(start, one, amazonException("modelStreamErrorException", {})), "broken"],
  ["a failure whose words are no words", framed(start, one, amazonException("validationException", "[[[")), "broken"],
  ["pieces before the beginning", framed(one, start, two, ...rest), "refused"],
  ["payloads that are no objects", framed(start, one, amazonEvent("contentBlockDelta", "7"), two, ...rest), "whole"],
  ["payloads that are no JSON", framed(start, one, amazonEvent("contentBlockDelta", "{"), two, ...rest), "broken"],
  ["events nobody knows", framed(start, amazonEvent("later", {}), one, two, ...rest), "whole"],
  [
    "a call that never began",
    framed(start, amazonEvent("contentBlockDelta", { delta: { toolUse: { input: "{}" } } }), one, ...rest),
    "whole",
  ],
  [
    "counts below zero",
    framed(start, one, two, ...rest.slice(0, -1), usage({ inputTokens: -5, outputTokens: -9 })),
    "whole",
  ],
  [
    "counts of no number",
    framed(start, one, two, ...rest.slice(0, -1), usage({ inputTokens: "9", outputTokens: null })),
    "whole",
  ],
  [
    "counts beyond all measure",
    framed(start, one, two, ...rest.slice(0, -1), usage({ inputTokens: 1e300, outputTokens: 1e15 })),
    "whole",
  ],
  ["no counts", framed(start, one, two, ...rest.slice(0, -1)), "whole"],
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
