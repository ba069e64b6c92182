import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import type { HostileBehavior, Outcome } from "@tollgate/testkit/hostile/hostile-behavior.ts";
import { hostileUpstreams } from "@tollgate/testkit/hostile/hostile-upstreams.ts";
import { SOUND, USUAL, type Wire, wires } from "@tollgate/testkit/hostile/wires.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test-gateway.fixture.ts";

const INPUT_NANO = 1_000;
const OUTPUT_NANO = 4_000;
const MAX_TOKENS = 64;
const messages = [{ role: "user", content: "hello" }];

let upstream: FakeUpstream;
let gateway: TestGateway;

/** Defines a test for every hostile behavior in one API format. Each test ends with a normal call that must succeed. */
export function testHostileUpstreams(wireName: Wire["name"], client: "own" | "undici" = "own"): void {
  beforeAll(() => start(client));
  afterAll(stop);
  const wire = wires.find(({ name }) => name === wireName) as Wire;
  const behaviors = hostileUpstreams.filter(({ wires: only }) => only === undefined || only.includes(wire.name));

  test.for(behaviors.map((behavior) => [behavior.name, behavior] as const))(
    "%s affects only its own call",
    async ([, behavior]) => {
      const before = gateway.records.length;
      upstream.behaves(behavior.behave(wire));
      const seen = await ask(wire, behavior);
      expect(seen, JSON.stringify(seen.text.slice(0, 600))).toMatchObject({ complaint: null });
      const expected = typeof behavior.outcome === "string" ? behavior.outcome : behavior.outcome[wire.name];
      if (expected !== "decent") expect(seen.outcome, JSON.stringify(seen.text.slice(0, 600))).toBe(expected);

      upstream.behaves(reply(200, wire.whole(USUAL)));
      expect(await ask(wire, { isStream: false })).toMatchObject({ outcome: "sound", complaint: null });

      expect(gateway.records.length).toBe(before + 2);
      expect(Number(gateway.records[before]?.cost)).toBeGreaterThanOrEqual(0);
      expect(Number(gateway.records[before]?.cost)).toBeLessThanOrEqual(seen.holdNano);
      expect(gateway.unexpected.splice(0)).toEqual([]);
    },
  );
}

/** Starts a gateway that reaches the upstream with this HTTP client. */
async function start(client: "own" | "undici"): Promise<void> {
  upstream = await startFakeUpstream();
  const entries = wires.map(
    ({ name, model }) => `
  - model_name: ${name}
    litellm_params:
      model: ${model}
      api_base: "${upstream.origin}"
      api_key: sk-upstream-0123456789
      input_cost_per_token: 0.000001
      output_cost_per_token: 0.000004
      on_disconnect: abort`,
  );
  const router = "router_settings: { num_retries: 0, disable_cooldowns: true }";
  const general = `general_settings: { upstream_http_client: ${client} }`;
  gateway = await startTestGateway({ yaml: `model_list:${entries.join("")}\n${router}\n${general}\n` });
}

async function stop(): Promise<void> {
  await gateway.close();
  await upstream.close();
}

interface Seen {
  readonly text: string;
  readonly outcome: Outcome;
  /** Description of a violation in the gateway's response; null if the response has no violation. */
  readonly complaint: string | null;
  /** The hold for a call in this API format, in nano-USD. */
  readonly holdNano: number;
}

async function ask(wire: Wire, behavior: Pick<HostileBehavior, "isStream" | "request">): Promise<Seen> {
  const fields = { model: wire.name, max_tokens: MAX_TOKENS, ...behavior.request };
  const body = JSON.stringify({ messages, ...fields, ...(behavior.isStream && { stream: true }) });
  const answer = await gateway.post("/v1/chat/completions", body);
  const text = await answer.text();
  const holdNano = Math.ceil(body.length / 3) * INPUT_NANO + fields.max_tokens * OUTPUT_NANO;
  if (answer.status !== 200) return { text, outcome: "refused", complaint: complainOfRefusal(answer, text), holdNano };
  return { text, ...(behavior.isStream ? readStream(wire, text) : readWhole(wire, text)), holdNano };
}

/** Checks that an error response has the gateway's own message and contains no internal details. */
function complainOfRefusal(answer: Response, text: string): string | null {
  const error = parse(text)?.error as Record<string, unknown> | undefined;
  if (typeof error?.message !== "string" || error.message === "") return "a failure without words";
  if (typeof error.type !== "string" || !("code" in error)) return "a failure without a type";
  if (/HPE_|undici|node:|\bat \//i.test(text)) return "a failure that reveals internals";
  return answer.status >= 400 && answer.status < 600 ? null : `the status ${answer.status}`;
}

function readWhole(wire: Wire, text: string): Pick<Seen, "outcome" | "complaint"> {
  const answer = parse(text) as { choices?: { message?: { content?: unknown } }[] } | null;
  // An upstream response in the client's format is relayed without parsing. All other responses are written by the
  // gateway.
  if (answer === null) return { outcome: "relayed", complaint: wire.name === "openai" ? null : "not JSON" };
  return { outcome: answer.choices?.[0]?.message?.content === SOUND ? "sound" : "relayed", complaint: null };
}

interface Chunk {
  readonly error?: unknown;
  readonly choices?: readonly { readonly delta?: { readonly content?: string }; readonly finish_reason?: string }[];
}

function readStream(wire: Wire, text: string): Pick<Seen, "outcome" | "complaint"> {
  if (!text.endsWith("\n\n")) return { outcome: "broken", complaint: "half a frame at the end" };
  const frames = text.split(/\n{2,}/).filter((frame) => frame.includes("data:"));
  const last = frames.at(-1);
  const chunks = frames.filter((frame) => frame !== "data: [DONE]").map((frame) => readChunk(frame));
  if (wire.name !== "openai" && chunks.includes(null)) return { outcome: "relayed", complaint: "a frame of no JSON" };
  if (last !== "data: [DONE]") {
    const isReported = chunks.at(-1)?.error !== undefined;
    return { outcome: "broken", complaint: isReported ? null : "an end without a word" };
  }
  const choices = chunks.flatMap((chunk) => (Array.isArray(chunk?.choices) ? chunk.choices : []));
  const said = choices.map((choice) => choice?.delta?.content ?? "").join("");
  if (said === SOUND) return { outcome: "sound", complaint: null };
  const isCut = choices.some((choice) => choice?.finish_reason === "length");
  return { outcome: isCut ? "cut" : "relayed", complaint: null };
}

function readChunk(frame: string): Chunk | null {
  const data = frame.split("\n").find((line) => line.startsWith("data:"));
  return data === undefined ? null : parse(data.slice("data:".length));
}

function parse(json: string): Record<string, unknown> | null {
  try {
    return JSON.parse(json) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}
