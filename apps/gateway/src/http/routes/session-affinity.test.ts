import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { type FakeUpstream, startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { type Behavior, reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test-gateway.fixture.ts";

/** CI runs a sample. The nightly run has 200 sessions of 30 turns. */
const SESSIONS = Number(process.env.AFFINITY_SESSIONS ?? 40);
const TURNS = Number(process.env.AFFINITY_TURNS ?? 12);
const DEPLOYMENTS = 8;
const AT_ONCE = 8;
/** Providers don't cache shorter prompts. */
const MIN_CACHED_TOKENS = 1_024;

interface Message {
  readonly role: string;
  readonly content: string;
}

const tokensOf = (text: string) => Math.floor(text.length / 4);

/** Returns the text of a prompt up to each of its messages. */
function prefixesOf(messages: readonly Message[]): readonly string[] {
  let text = "";
  return messages.map(({ role, content }) => {
    text += `${role}\n${content}\n`;
    return text;
  });
}

/** The prompts that a provider has in its cache. */
class PrefixCache {
  readonly #known = new Set<string>();

  /** Returns the number of cached tokens at the beginning of a prompt, and caches the whole prompt. */
  read(prefixes: readonly string[]): number {
    const longest = prefixes.findLast((prefix) => this.#known.has(prefix)) ?? "";
    for (const prefix of prefixes) this.#known.add(prefix);
    const tokens = tokensOf(longest);
    return tokens < MIN_CACHED_TOKENS ? 0 : tokens;
  }
}

/** Starts deployments with a prompt cache each, and a gateway in front of them. */
async function startGroup(affinitySeconds: number) {
  /** What a single cache would have found. */
  const ideal = new PrefixCache();
  const tokens = { cacheable: 0, cached: 0 };
  const upstreams = await Promise.all(Array.from({ length: DEPLOYMENTS }, () => startFakeUpstream()));
  onTestFinished(async () => {
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  });
  for (const upstream of upstreams) {
    const cache = new PrefixCache();
    const answer: Behavior = (exchange) => {
      const prefixes = prefixesOf((exchange.request.json() as { messages: Message[] }).messages);
      const cached = cache.read(prefixes);
      tokens.cacheable += ideal.read(prefixes);
      tokens.cached += cached;
      const total = tokensOf(prefixes.at(-1) ?? "");
      const usage = {
        prompt_tokens: total,
        completion_tokens: 3,
        total_tokens: total + 3,
        prompt_tokens_details: { cached_tokens: cached },
      };
      return reply(200, { ...chatAnswer(), usage })(exchange);
    };
    upstream.behaves(answer);
  }
  const entries = upstreams.map(
    ({ origin }, index) =>
      `  - { model_name: shared, litellm_params: { model: openai/x, api_base: "${origin}/v1" }, model_info: { id: d-${index} } }`,
  );
  const gateway = await startTestGateway({
    yaml: `model_list:\n${entries.join("\n")}\nrouter_settings: { deployment_affinity_ttl_seconds: ${affinitySeconds} }`,
  });
  onTestFinished(() => gateway.close());
  return { gateway, upstreams, tokens };
}

const instructions = `You are an agent. ${"Follow the rules. ".repeat(300)}`;
const sentence = (seed: number) => `${seed}. ${"The quick brown fox jumps over the lazy dog. ".repeat(8)}`;

/** Runs one conversation. A third of the sessions has a header, a third has a key, and the others have no ID. */
async function converse(
  { chat }: Pick<TestGateway, "chat">,
  session: number,
  beforeTurn: (turn: number) => Promise<void>,
): Promise<void> {
  const messages: Message[] = [
    { role: "system", content: instructions },
    { role: "user", content: `${"Context of the project. ".repeat(100)} Task ${session}` },
  ];
  const kind = session % 3;
  for (let turn = 0; turn < TURNS; turn += 1) {
    await beforeTurn(turn);
    const key = kind === 0 ? { prompt_cache_key: `key-${session}` } : {};
    const answer = await chat(
      { model: "shared", messages, ...key },
      kind === 1 ? { "x-session-id": `session-${session}` } : {},
    );
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
    messages.push({ role: "assistant", content: "Hello there." }, { role: "user", content: sentence(turn) });
  }
}

/** Runs all sessions, several at once, and returns the share of cacheable tokens that were cached. */
async function hitRate(affinitySeconds: number, killAtTurn: number | null = null): Promise<number> {
  const { gateway, upstreams, tokens } = await startGroup(affinitySeconds);
  const [victim] = upstreams as [FakeUpstream, ...FakeUpstream[]];
  const waves = Math.ceil(SESSIONS / AT_ONCE);
  for (let wave = 0; wave < waves; wave += 1) {
    const count = Math.min(AT_ONCE, SESSIONS - wave * AT_ONCE);
    const isKilled = killAtTurn !== null && wave === Math.floor(waves / 2);
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        converse(gateway, wave * AT_ONCE + index, async (turn) => {
          if (isKilled && turn === killAtTurn) await victim.close();
        }),
      ),
    );
  }
  const used = upstreams.filter(({ requests }) => requests.length > 0);
  // Sessions are still spread over the deployments.
  expect(used.length).toBeGreaterThan(DEPLOYMENTS / 2);
  return tokens.cached / tokens.cacheable;
}

describe("eight deployments with a prompt cache each", { timeout: 600_000 }, () => {
  test("find at least 95% of what one cache would find if sessions are pinned", async ({ annotate }) => {
    const [pinned, spread] = [await hitRate(3_600), await hitRate(0)];
    await annotate(`cached with affinity: ${percent(pinned)}, without: ${percent(spread)}`);
    expect(pinned).toBeGreaterThanOrEqual(0.95);
    expect(spread).toBeLessThan(pinned);
  });

  test("find at least 90% if one of them is killed", async ({ annotate }) => {
    const rate = await hitRate(3_600, Math.floor(TURNS / 2));
    await annotate(`cached with affinity and a killed deployment: ${percent(rate)}`);
    expect(rate).toBeGreaterThanOrEqual(0.9);
  });
});

describe("a session", () => {
  test("stays on its deployment, moves when it fails, and stays there", async () => {
    const { gateway, upstreams } = await startGroup(3_600);
    const ask = async () => {
      const answer = await gateway.chat(
        { model: "shared", messages: [{ role: "user", content: "hello" }] },
        { "x-claude-code-session-id": "one" },
      );
      return answer.headers.get("x-gw-model-id");
    };
    const first = await ask();
    for (let turn = 0; turn < 10; turn += 1) expect(await ask()).toBe(first);
    const upstream = upstreams[Number(first?.slice(2))] as FakeUpstream;
    upstream.replies(503);
    const second = await ask();
    expect(second).not.toBe(first);
    upstream.replies(200, chatAnswer());
    for (let turn = 0; turn < 10; turn += 1) expect(await ask()).toBe(second);
  });

  test("is not affected by requests that the provider rejects", async () => {
    const { gateway, upstreams } = await startGroup(3_600);
    const ask = async () =>
      gateway.chat({ model: "shared", prompt_cache_key: "k", messages: [{ role: "user", content: "hello" }] });
    const first = (await ask()).headers.get("x-gw-model-id");
    const upstream = upstreams[Number(first?.slice(2))] as FakeUpstream;
    upstream.replies(400, { error: { message: "Invalid 'messages'." } });
    expect((await ask()).status).toBe(400);
    upstream.replies(200, chatAnswer());
    expect((await ask()).headers.get("x-gw-model-id")).toBe(first);
  });

  test("doesn't exist for short requests without an ID, which are spread as usual", async () => {
    const { gateway } = await startGroup(3_600);
    const used = new Set<string | null>();
    for (let turn = 0; turn < 60; turn += 1) {
      const answer = await gateway.chat({ model: "shared", messages: [{ role: "user", content: "hello" }] });
      used.add(answer.headers.get("x-gw-model-id"));
    }
    expect(used.size).toBeGreaterThan(2);
  });
});

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
