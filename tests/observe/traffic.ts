import { type ChatAnswerOptions, chatAnswer, chatFrames } from "../../packages/testkit/src/chat-answers.ts";
import { type FakeUpstream, startFakeUpstream } from "../../packages/testkit/src/fake-upstream.ts";

/** The upstreams and the telemetry collector that the instance under test connects to. */
export interface FarSide {
  /** Responds to every call. */
  readonly good: FakeUpstream;
  /** Fails every call. Called only to trigger alerts. */
  readonly bad: FakeUpstream;
  /** Responds to every call with a stream. */
  readonly streaming: FakeUpstream;
  /** Receives spans and metrics. */
  readonly collector: FakeUpstream;
  close(): Promise<void>;
}

const answer: ChatAnswerOptions = { inputTokens: 40, outputTokens: 12 };
const left = { "x-ratelimit-remaining-requests": "900", "x-ratelimit-remaining-tokens": "80000" };

export async function startFarSide(): Promise<FarSide> {
  const [good, bad, streaming, collector] = await Promise.all([
    startFakeUpstream(),
    startFakeUpstream(),
    startFakeUpstream(),
    startFakeUpstream(),
  ]);
  good.replies(200, chatAnswer(answer), left);
  bad.replies(503, { error: { message: "overloaded" } });
  streaming.streams(chatFrames(answer));
  collector.replies(200, {});
  return {
    good,
    bad,
    streaming,
    collector,
    close: async () => {
      await Promise.all([good, bad, streaming, collector].map((one) => one.close()));
    },
  };
}

/** Returns settings that provide data for every panel. */
export function settingsFor({ good, bad, streaming }: FarSide): string {
  const model = (name: string, upstream: FakeUpstream) =>
    `  - { model_name: ${name}, litellm_params: { model: openai/${name}, api_base: "${upstream.origin}/v1", api_key: sk-1, rpm: 100000, tpm: 100000000, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }, model_info: { id: ${name}-1 } }\n`;
  return `model_list:
${model("good", good)}${model("streaming", streaming)}${model("shaky", bad)}${model("broken", bad)}${model("lost", bad)}${model("gone", bad)}
gw_settings: { cache: true, cache_params: { type: memory, mode: default_off } }
guardrails:
  - { guardrail_name: words, litellm_params: { guardrail: keyword_block, mode: pre_call, keywords: [swordfish] } }
router_settings: { num_retries: 0, allowed_fails: 0, cooldown_time: 1, fallbacks: [{ shaky: [good] }, { lost: [gone] }] }
`;
}

/** API keys: one for a team with a budget, one that soon reaches its rate limit, and one for the scraper. */
export interface Callers {
  readonly usual: string;
  readonly limited: string;
  readonly scraper: string;
}

export async function addCallers(url: string, apiKey: string, masterKey: string): Promise<Callers> {
  const manage = async (path: string, body: object) => {
    const made = await post(url, path, masterKey, body);
    if (made.status !== 200) throw new Error(`${path}: ${made.status} ${await made.text()}`);
    return (await made.json()) as Record<string, string>;
  };
  const info = await fetch(`${url}/key/info`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { info: own } = (await info.json()) as { info: { team_id: string } };
  await manage("/team/update", { team_id: own.team_id, max_budget: 100, budget_duration: "30d" });
  const limited = await manage("/key/generate", { key_alias: "limited", team_id: own.team_id, rpm_limit: 1 });
  const scraper = await manage("/key/generate", {
    key_alias: "prometheus",
    team_id: own.team_id,
    allowed_routes: ["/metrics", "/metrics/ledger"],
  });
  return { usual: apiKey, limited: String(limited.key), scraper: String(scraper.key) };
}

const chat = (model: string, more: object = {}) => ({
  model,
  max_tokens: 20,
  messages: [{ role: "user", content: "hello" }],
  ...more,
});

/**
 * Models whose upstream fails. `shaky` falls back to a working model, and `lost` falls back to a model that also fails.
 */
const BROKEN = ["shaky", "broken", "lost"];

/** Makes one call of each kind that a panel shows. Ignores the responses. */
export async function callEverything(url: string, { usual, limited }: Callers, withBroken: boolean): Promise<void> {
  const looked = { cache: { "use-cache": true }, guardrails: ["words"] };
  const bodies: readonly (readonly [key: string, body: object])[] = [
    [usual, chat("good")],
    [usual, chat("streaming", { stream: true })],
    [usual, chat("good", looked)],
    [usual, chat("good", { ...looked, messages: [{ role: "user", content: "swordfish" }] })],
    ...(withBroken ? BROKEN.map((model) => [usual, chat(model)] as const) : []),
    [limited, chat("good")],
    [usual, chat("unknown-model")],
  ];
  await Promise.all(
    bodies.map(async ([key, body]) => (await post(url, "/v1/chat/completions", key, body)).arrayBuffer()),
  );
}

function post(url: string, path: string, key: string, body: object): Promise<Response> {
  return fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
