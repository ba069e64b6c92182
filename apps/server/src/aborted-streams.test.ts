import { countText } from "@tollgate/gateway/tokens/count-text.ts";
import { chatFrames, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { streamFrames } from "@tollgate/testkit/upstream-behaviors.ts";
import { expect } from "vitest";
import {
  type BilledGateway,
  INPUT_PRICE,
  OUTPUT_PRICE,
  type Tollgate,
  test,
  type UsageRow,
} from "./billed-gateway.fixture.ts";

const PIECES = Array.from(
  { length: 20 },
  (_, index) => `Toll ${index} is paid at the gate, naïvely "quoted"\n and counted. `,
);
const PROMPT = "Tell me about the tolls of the old bridge, and who has to pay them.";
/** Number of prompt tokens for one message, according to the model vendor's counting rules. */
const PROMPT_TOKENS = 3 + 3 + countText("user") + countText(PROMPT);
const MODEL = "m1";
/** A deployment that aborts the upstream request when the client disconnects. */
const brief = {
  models: `
  - model_name: brief
    litellm_params: { model: openai/m1, api_base: "{origin}/v1", api_key: sk-x, on_disconnect: abort, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
`,
};

/** Frames that the upstream sends: the role, the content deltas, the finish reason, and `[DONE]`. */
const silent = chatFrames({ model: MODEL, pieces: PIECES, includeUsage: false });
const reporting = chatFrames({ model: MODEL, pieces: PIECES, includeUsage: true, inputTokens: 50, outputTokens: 400 });
/** Frames that each report the usage so far, as some upstream servers send them. */
const running = silent.map((frame, index) =>
  frame.includes("[DONE]") ? frame : sseFrame({ ...JSON.parse(frame.slice(6)), usage: usageAfter(index) }),
);

function usageAfter(frames: number) {
  return { prompt_tokens: 33, completion_tokens: frames * 11, total_tokens: 33 + frames * 11 };
}

/**
 * Makes one call per entry in `counts` and disconnects after that number of frames. Returns the usage rows in the same
 * order.
 */
async function leaveAfterEach(
  tollgate: Tollgate,
  gateway: BilledGateway,
  upstream: FakeUpstream,
  frames: readonly string[],
  counts: readonly number[],
): Promise<readonly UsageRow[]> {
  const tenant = await tollgate.addTenant({ credit: 100_000_000_000n });
  upstream.behaves((exchange) => {
    const { user } = exchange.request.json() as { user: string };
    return streamFrames(frames, { hangAfterFrames: Number(user) })(exchange);
  });
  const before = upstream.requests.length;
  await Promise.all(
    counts.map(async (count) => {
      const leaving = new AbortController();
      const answer = await gateway.chat(
        tenant.apiKey,
        {
          model: "brief",
          stream: true,
          stream_options: { include_usage: true },
          user: String(count),
          messages: [{ role: "user", content: PROMPT }],
        },
        { signal: leaving.signal, callId: String(count) },
      );
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let received = "";
      while (received.split("\n\n").length - 1 < count) received += (await reader?.read())?.value ?? "";
      leaving.abort();
    }),
  );
  // The client's disconnect must also abort each upstream request.
  for (const index of counts.keys()) expect((await upstream.ended(before + index)).end?.kind).toBe("aborted");
  const rows = await tollgate.settled(tenant, counts.length);
  expect(rows.every(({ status, http_status }) => status === "client_disconnect" && http_status === 499)).toBe(true);
  expect(rows.filter(({ cost, hold }) => cost > hold)).toEqual([]);
  return counts.map((count) => rows.find((row) => row.request_id === String(count)) as UsageRow);
}

const everyFrame = Array.from({ length: PIECES.length + 1 }, (_, pieces) => 1 + pieces);

test("a client that disconnects mid-stream, after any number of chunks, is charged for the delivered part", async ({
  tollgate,
  upstreams,
}) => {
  const gateway = await tollgate.start(brief);
  for (const frames of [silent, reporting]) {
    const rows = await leaveAfterEach(tollgate, gateway, upstreams.alpha, frames, everyFrame);
    for (const [pieces, { cost, usage_source }] of rows.entries()) {
      const delivered = countText(PIECES.slice(0, pieces).join(""));
      const exact = BigInt(PROMPT_TOKENS) * INPUT_PRICE + BigInt(delivered) * OUTPUT_PRICE;
      const off = cost > exact ? cost - exact : exact - cost;
      expect(off * 50n, `after ${pieces} pieces: ${cost} for ${exact}`).toBeLessThanOrEqual(exact);
      expect(usage_source).toBe("estimated");
    }
  }
});

test("a client that disconnects is charged for the usage that the model has reported so far", async ({
  tollgate,
  upstreams,
}) => {
  const gateway = await tollgate.start(brief);
  const rows = await leaveAfterEach(tollgate, gateway, upstreams.alpha, running, everyFrame);
  for (const [pieces, { cost, usage_source }] of rows.entries()) {
    const { prompt_tokens, completion_tokens } = usageAfter(pieces);
    expect(cost).toBe(BigInt(prompt_tokens) * INPUT_PRICE + BigInt(completion_tokens) * OUTPUT_PRICE);
    expect(usage_source).toBe("reported");
  }
});

test("usage reported before the disconnect is charged even if the stream's end marker never arrives", async ({
  tollgate,
  upstreams,
}) => {
  const gateway = await tollgate.start(brief);
  const untilReport = reporting.length - 1;
  const [row] = await leaveAfterEach(tollgate, gateway, upstreams.alpha, reporting, [untilReport]);
  expect(row).toMatchObject({ cost: 50n * INPUT_PRICE + 400n * OUTPUT_PRICE, usage_source: "reported" });
});
