import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_PARTS } from "../call/operation-kind.ts";
import type { RequestedTools } from "../call/requested-tools.ts";
import { chat } from "../operations/chat/chat.ts";
import { requestedTools } from "../operations/requested-tools.ts";
import type { CallAccount } from "./call-account.ts";
import { abandonedUsage, usageOf } from "./usage-of.ts";

const COUNTED: Usage = { ...NO_USAGE, inputTokens: 7, outputTokens: 30, source: "estimated" };

interface Facts {
  readonly isStream?: boolean;
  readonly heldOutput?: number;
  readonly openChoices?: number;
  readonly asked?: number | null;
  readonly choices?: number;
  readonly maxInputTokens?: number | null;
  readonly maxOutputTokens?: number | null;
  readonly operation?: string;
  /** Maximum usage that the request allows. */
  readonly most?: Usage;
  /** Usage that is counted if there is no report. */
  readonly counted?: Usage;
  readonly price?: Price;
  readonly hasVideo?: boolean;
  /** Provider and model. */
  readonly model?: readonly [provider: string, upstreamModel: string];
  /** Tools that the provider runs. */
  readonly tools?: Partial<RequestedTools>;
  /** Maximum usage that the provider may report. */
  readonly largest?: Usage;
}

function accountOf(facts: Facts): CallAccount {
  const { isStream = false, asked = 20, maxInputTokens = null, maxOutputTokens = null } = facts;
  const price = facts.price ?? tokenPrice(1_000n, 2_000n);
  const account = {
    priced: { price, priceVersionId: null },
    heldOutput: facts.heldOutput ?? (asked ?? 16_384) * (facts.choices ?? 1),
    openChoices: facts.openChoices ?? 0,
    call: {
      operation: facts.operation ?? "chat.completions",
      isStream,
      outputLimit: null,
      bodyBytes: 100,
      parts: { ...NO_PARTS, isUnbounded: facts.hasVideo ?? false, ...(facts.tools && { tools: facts.tools }) },
      body: { request: { max_tokens: asked, n: facts.choices }, dropped: new Set() },
      kind: {
        writesText: facts.operation === undefined,
        fields: chat.fields,
        countUsage: () => facts.counted ?? COUNTED,
        boundUsage: () => facts.most ?? null,
        ...(facts.largest !== undefined && { largestUsage: () => facts.largest }),
      },
    },
    deployment: {
      provider: { name: facts.model?.[0] ?? "anthropic" },
      upstreamModel: facts.model?.[1] ?? "m",
      price,
      facts: { maxInputTokens, maxOutputTokens },
      additionalDropParams: [],
      offers: {},
      allowedParams: [],
    },
  };
  return account as unknown as CallAccount;
}

const reported = (inputTokens: number, outputTokens: number): Usage => ({
  ...NO_USAGE,
  inputTokens,
  outputTokens,
  source: "reported",
});

/** An operation whose request bounds its usage: at most 10 input tokens and 1,000 output tokens. */
const picture: Facts = { operation: "images.generations", most: reported(10, 1_000) };

const settle = (facts: Facts, usage: Usage | null) => usageOf(accountOf(facts), usage, { text: "{}" }, null);

describe("accepts a usage report", () => {
  test.for([
    ["within the requested limits", {}, 50, 20],
    ["with more prompt tokens than bytes", {}, 4_000, 5],
    ["for a video, on a model without a known context window", { hasVideo: true }, 900_000, 5],
    ["for all choices together", { choices: 3 }, 50, 60],
    [
      "with hidden reasoning in a stream without a limit",
      { isStream: true, heldOutput: 4_096, openChoices: 1 },
      9,
      60_000,
    ],
    ["for a whole response without a limit, from an unknown model", { asked: null }, 9, 100_000],
    ["that fills the context window", { maxInputTokens: 200_000 }, 200_000, 1],
    ["of zero tokens", {}, 0, 0],
  ] as const)("%s", ([, facts, input, output]) => {
    expect(settle(facts, reported(input, output))).toEqual(reported(input, output));
  });

  test.for([
    ["that includes the tokens that providers add to short text", 200, 0],
    ["of several times the estimated maximum", 500, 7_000],
  ] as const)("%s, if the request bounds the usage", ([, input, output]) => {
    expect(settle(picture, reported(input, output))).toEqual(reported(input, output));
  });
});

describe("replaces an implausible usage report with the gateway's own count", () => {
  test("if the request bounds the usage in tokens or audio duration", () => {
    expect(settle(picture, reported(1_000_000, 0))).toEqual(COUNTED);
    expect(settle(picture, reported(0, 10_000))).toEqual(COUNTED);
    const perSecond: Price = { ...tokenPrice(0n, 0n), perSecond: 1_000n };
    const sound = { operation: "audio.transcriptions", most: { ...NO_USAGE, audioMs: 60_000 }, price: perSecond };
    const hour = { ...NO_USAGE, audioMs: 3_600_000 };
    expect(settle(sound, hour)).toEqual(COUNTED);
    // Counted values may come from the response, so they are capped at the bound.
    expect(settle({ ...sound, counted: hour }, null)).toEqual(sound.most);
    // An implausible report is discarded even if its usage costs nothing.
    expect(settle({ ...sound, counted: NO_USAGE }, reported(1e9, 0))).toEqual(NO_USAGE);
  });

  test("for output, capped at the requested limit", () => {
    expect(settle({}, reported(50, 21))).toMatchObject({ inputTokens: 50, outputTokens: 20, source: "estimated" });
    expect(settle({ asked: 100 }, reported(50, 101))).toMatchObject({ inputTokens: 50, outputTokens: 30 });
  });

  test("for input, while reported output is accepted", () => {
    const usage = settle({ maxInputTokens: 1_000 }, reported(1_001, 5));
    expect(usage).toMatchObject({ inputTokens: 7, outputTokens: 5, source: "estimated" });
    expect(settle({}, reported(1_000_000, 5))).toMatchObject({ inputTokens: 7, source: "estimated" });
  });

  test("for the input of a video, with what the hold covers", () => {
    const usage = settle({ maxInputTokens: 200_000, hasVideo: true }, reported(600_000, 5));
    expect(usage).toMatchObject({ inputTokens: 200_000, outputTokens: 5, source: "estimated" });
  });

  test("for a recording, with the longest that it can be", () => {
    const price: Price = { ...tokenPrice(0n, 0n), perSecond: 1_000n };
    const most = { ...NO_USAGE, audioMs: 11_000 };
    const largest = { ...NO_USAGE, audioMs: 86_400_000 };
    const sound = { operation: "audio.transcriptions", most, largest, price, counted: most };
    expect(settle(sound, { ...NO_USAGE, audioMs: 86_400_000 })).toMatchObject({ audioMs: 86_400_000 });
    expect(settle(sound, { ...NO_USAGE, audioMs: 90_000_000 })).toEqual(largest);
    expect(settle({ ...sound, counted: { ...NO_USAGE, audioMs: 90_000_000 } }, null)).toEqual(largest);
    expect(settle(sound, null)).toEqual(most);
  });

  test("for a stream with output above the model's maximum", () => {
    const facts = { isStream: true, heldOutput: 4_096, openChoices: 2, maxOutputTokens: 8_000 };
    expect(settle(facts, reported(9, 16_000)).source).toBe("reported");
    expect(settle(facts, reported(9, 16_001))).toMatchObject({ outputTokens: 30, source: "estimated" });
  });
});

test("never charges more output than the requested limit, for any report", () => {
  const counts = fc.integer({ min: 0, max: 1_000_000_000 });
  fc.assert(
    fc.property(counts, counts, fc.integer({ min: 1, max: 10_000 }), fc.boolean(), (input, output, asked, isStream) => {
      const usage = settle({ asked, isStream, heldOutput: asked }, reported(input, output));
      expect(usage.outputTokens).toBeLessThanOrEqual(asked);
      expect(usage.inputTokens).toBeLessThanOrEqual(100 * 4 + 4_096);
      expect(usage.reasoningTokens).toBeLessThanOrEqual(usage.outputTokens);
    }),
  );
});

describe("a request with tools that the provider runs", () => {
  const used = (inputTokens: number) => {
    const tools = requestedTools({ tools: [{ type: "web_search" }] });
    const account = accountOf({ maxInputTokens: 200_000, ...(tools && { tools }) });
    return usageOf(account, reported(inputTokens, 20), null, null);
  };

  test("is charged for the prompt of every tool call, however many the provider makes", () => {
    // A research model read its prompt again after each of 40 searches.
    expect(used(5_000_000)).toMatchObject({ inputTokens: 5_000_000, source: "reported" });
    expect(used(200_000 * 130)).toMatchObject({ inputTokens: COUNTED.inputTokens, source: "estimated" });
  });

  test.for(["web_search", "file_search", "mcp", "code_interpreter"])(
    "is charged for the results of %s, even if the context window is unknown",
    (type) => {
      const tools = requestedTools({ tools: [{ type }] });
      const account = accountOf({ ...(tools && { tools }) });
      for (const input of [20_000, 400_000]) {
        expect(usageOf(account, reported(input, 20), null, null)).toMatchObject({ inputTokens: input });
      }
      expect(usageOf(account, reported(10_000_001, 20), null, null).source).toBe("estimated");
    },
  );

  test("is charged for the tools that the provider reports, even if the reported output is impossible", () => {
    const tools = requestedTools({ tools: [{ type: "web_search" }] });
    const account = accountOf({ maxInputTokens: 200_000, ...(tools && { tools }) });
    const used = { ...reported(10, 1_000_000), webSearches: 3, fileSearches: 2, codeSessions: 1, toolCalls: 4 };
    expect(usageOf(account, used, null, null)).toMatchObject({
      outputTokens: 20,
      webSearches: 3,
      fileSearches: 2,
      codeSessions: 1,
      toolCalls: 4,
      source: "estimated",
    });
  });

  test("is charged the tool calls that the hold covers if a limit ends it before the provider reports them", () => {
    const tools = requestedTools({ tools: [{ type: "web_search_20250305", max_uses: 3 }] });
    const price = tokenPrice(1_000n, 2_000n, { perWebSearch: 10_000_000n });
    const account = accountOf({ maxInputTokens: 200_000, price, ...(tools && { tools }) });
    expect(abandonedUsage(account, null, null, "timeout")).toMatchObject({ webSearches: 3, source: "estimated" });
    expect(abandonedUsage(account, { ...reported(10, 5), webSearches: 1 }, null, "timeout").webSearches).toBe(1);
    expect(abandonedUsage(account, null, null, null).webSearches).toBe(0);
  });
});

describe("a research model of Perplexity", () => {
  // The documented example: 33 tokens of prompt, 20,016 of sources, 7,163 of text, and 73,997 of reasoning.
  const used = { ...reported(33 + 20_016, 7_163 + 73_997), reasoningTokens: 73_997, webSearches: 18 };
  const model = ["perplexity", "sonar-deep-research"] as const;

  test.for([{ isStream: true }, { asked: 8_000 }, { maxInputTokens: 128_000 }])(
    "is charged for the sources that it reads and for its reasoning (%j)",
    (facts) => {
      const account = accountOf({ asked: 16_384, ...facts, model });
      expect(usageOf(account, used, null, null)).toEqual(used);
      const overlong = { ...used, outputTokens: 73_997 + 140_000 };
      expect(usageOf(account, overlong, null, null).source).toBe("estimated");
    },
  );

  test("is charged what the hold covers if a limit ends it before the provider reports its usage", () => {
    const account = accountOf({ asked: 1_000, model });
    const charged = abandonedUsage(account, null, null, "timeout");
    expect(charged).toMatchObject({
      outputTokens: 1_000 + 262_144,
      reasoningTokens: 262_144,
      inputTokens: 7 + 131_072,
    });
  });
});
