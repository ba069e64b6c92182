import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { BillingSettings } from "@tollgate/runtime/settings/settings.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import { chat } from "../operations/chat/chat.ts";
import { requestedMaxOutput } from "../operations/estimate-input.ts";
import { responses } from "../operations/responses/responses.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { BILLING } from "./billing.fixture.ts";
import { estimateCall, priceOutput } from "./estimate-call.ts";

const PRICE: Price = tokenPrice(1_000n, 2_000n);
const FREE_INPUT: Price = { ...PRICE, input: 0n };
const LIMITED = { ...BILLING, maxHoldNanoUsd: 100_000_000_000n };

interface Case {
  readonly fields?: object;
  readonly price?: Price;
  readonly billing?: Partial<BillingSettings>;
  readonly free?: bigint | null;
  /** Defaults to all available credit. */
  readonly largestHold?: bigint;
  readonly maxInputTokens?: number | null;
  readonly maxOutputTokens?: number | null;
  readonly dropped?: readonly string[];
  readonly additionalDropParams?: readonly string[];
  readonly supportedParams?: readonly string[];
  readonly allowedParams?: readonly string[];
}

function estimate(options: Case = {}) {
  const { additionalDropParams = [], supportedParams, allowedParams = [] } = options;
  const deployment = {
    facts: { maxInputTokens: options.maxInputTokens ?? null, maxOutputTokens: options.maxOutputTokens ?? null },
    provider: { outputLimitParam: "max_tokens" },
    offers: {
      "chat.completions": {
        takesEveryParam: supportedParams === undefined,
        supportedParams: new Set(supportedParams),
      },
    },
    allowedParams,
    additionalDropParams,
  } as unknown as Deployment;
  const text = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }], ...options.fields });
  const call = makeChatCall({ text, dropped: options.dropped ?? [] });
  const { price = FREE_INPUT, free = null } = options;
  const largestHold = options.largestHold ?? free ?? PLENTY;
  return estimateCall(
    call,
    deployment,
    price,
    { ...LIMITED, ...options.billing },
    { free, largestHold: () => largestHold },
  );
}

const PLENTY = 10n ** 15n;

/** Returns an amount of available credit. One fortieth of it pays for this many output tokens. */
const fortieth = (tokens: number) => BigInt(tokens) * 40n * 2n;

describe("estimate with an output limit", () => {
  test("covers the prompt and, for each choice, the output limit", () => {
    const { inputTokens, amount } = estimate({ fields: { max_tokens: 7, n: 3 }, price: PRICE });
    // The body has 80 bytes.
    expect(inputTokens).toBe(27);
    expect(amount).toBe(BigInt(inputTokens) + 21n * 2n);
  });

  test("covers the larger of two limits, regardless of available credit", () => {
    const limits = estimate({ fields: { max_tokens: 7, max_completion_tokens: 9 }, free: 1n });
    expect(limits).toMatchObject({ amount: 18n, outputTokens: 9, stepTokens: 0, outputLimit: null });
  });

  test("ignores a limit that does not reach the model", () => {
    const longest = { maxOutputTokens: 500, fields: { max_tokens: 7 }, free: fortieth(1_000) };
    expect(estimate({ ...longest, additionalDropParams: ["max_tokens"] }).outputTokens).toBe(500);
    expect(estimate({ ...longest, dropped: ["max_tokens"] }).outputTokens).toBe(500);
    expect(estimate({ ...longest, supportedParams: ["temperature"] }).outputTokens).toBe(500);
    expect(estimate({ ...longest, supportedParams: [], allowedParams: ["max_tokens"] }).outputTokens).toBe(7);
    const allowed = { max_tokens: 7, allowed_openai_params: ["max_tokens"] };
    expect(estimate({ ...longest, supportedParams: [], fields: allowed }).outputTokens).toBe(7);
  });
});

describe("a whole response without an output limit", () => {
  test.for([
    { free: fortieth(300), limit: 300, why: "is limited to one fortieth of the available credit" },
    { free: fortieth(20), limit: 100, why: "gets at least one step" },
    { free: 100n * 2n, limit: 100, why: "gets a step that uses all available credit" },
    { free: 99n * 2n, limit: 99, why: "is limited to the available credit if a step does not fit" },
    { free: 1n, limit: 16, why: "is limited to at least 16 tokens and is then refused on admission" },
    {
      free: -5n,
      limit: 16,
      why: "is limited to 16 tokens if the credit is overdrawn and is then refused on admission",
    },
    {
      free: fortieth(500),
      limit: null,
      why: "is not limited if the available credit covers the model's maximum output",
    },
    { free: null, limit: null, why: "is not limited while the available credit is unknown" },
  ])("$why", ({ free, limit }) => {
    const { outputLimit, outputTokens, stepTokens } = estimate({ free, maxOutputTokens: 500 });
    expect({ outputLimit, outputTokens, stepTokens }).toEqual({
      outputLimit: limit,
      outputTokens: limit ?? 500,
      stepTokens: 0,
    });
  });

  test("is limited to the largest output whose hold fits, given the input, the choices, and the hold factor", () => {
    const tight = { price: PRICE, fields: { n: 3 }, maxOutputTokens: 500 };
    for (const holdFactor of [1, 0.5, 0.3]) {
      for (const largestHold of [200n, 333n, 500n]) {
        const fitting = estimate({ ...tight, billing: { holdFactor }, free: largestHold, largestHold });
        expect(fitting.amount).toBeLessThanOrEqual(largestHold);
        const limit = fitting.outputLimit ?? 0;
        const larger = estimate({ ...tight, billing: { holdFactor }, fields: { n: 3, max_tokens: limit + 1 } });
        expect(limit === 100 || larger.amount > largestHold, `${limit} of ${largestHold} at ${holdFactor}`).toBe(true);
      }
    }
  });

  test("is limited to the budget or maximum hold, regardless of credit", () => {
    expect(estimate({ free: fortieth(300), largestHold: 60n })).toMatchObject({ outputLimit: 30, amount: 60n });
  });

  test("splits one fortieth of the available credit across its choices", () => {
    expect(estimate({ free: fortieth(300), fields: { n: 2 } })).toMatchObject({ outputLimit: 150, outputTokens: 300 });
  });

  test("is estimated at 16,384 tokens for an unknown model", () => {
    expect(estimate({ free: fortieth(100_000) })).toMatchObject({ outputLimit: null, outputTokens: 16_384 });
  });

  test("has a hold for the maximum output if the model does not receive a limit", () => {
    const poor = { free: fortieth(1), maxOutputTokens: 500 };
    expect(estimate({ ...poor, billing: { capOutput: false } })).toMatchObject({
      outputLimit: null,
      outputTokens: 500,
    });
    expect(estimate({ ...poor, additionalDropParams: ["max_tokens"] })).toMatchObject({
      outputLimit: null,
      outputTokens: 500,
    });
  });
});

describe("a stream without an output limit", () => {
  test("has a hold for one step per choice, which is raised by the same amount", () => {
    expect(estimate({ fields: { stream: true, n: 2 } })).toMatchObject({
      outputTokens: 200,
      stepTokens: 200,
      outputLimit: null,
      amount: 400n,
    });
  });

  test("is limited to the available credit, with no hold increase, if the credit doesn't cover one step", () => {
    const cut = { outputTokens: 80, stepTokens: 0, outputLimit: 40, amount: 160n };
    expect(estimate({ fields: { stream: true, n: 2 }, free: 161n })).toMatchObject(cut);
  });

  test("has a hold for a full step, so that admission refuses the stream, if the model cannot receive a limit", () => {
    const deaf = { fields: { stream: true }, free: 1n };
    const step = { outputTokens: 100, stepTokens: 100, outputLimit: null };
    expect(estimate({ ...deaf, billing: { capOutput: false } })).toMatchObject(step);
    expect(estimate({ ...deaf, additionalDropParams: ["max_tokens"] })).toMatchObject(step);
  });

  test("has a hold for the model's maximum output if that is less than one step", () => {
    expect(estimate({ fields: { stream: true }, maxOutputTokens: 60 })).toMatchObject({
      outputTokens: 60,
      stepTokens: 0,
    });
  });
});

test("estimated input never exceeds the model's context window", () => {
  expect(estimate({ maxInputTokens: 5 }).inputTokens).toBe(5);
});

test("the hold covers the full worst case of an excessive request, so that admission can refuse it", () => {
  expect(estimate({ fields: { max_tokens: 1e308, n: 128 } }).amount).toBe(10_000_000n * 128n * 2n);
});

test("the hold covers the configured fraction of the worst case", () => {
  expect(estimate({ fields: { max_tokens: 100 }, billing: { holdFactor: 0.25 } }).amount).toBe(50n);
  expect(priceOutput(100, PRICE, { ...LIMITED, holdFactor: 0.1 })).toBe(20n);
});

test("a hold is never less than the cost of any usage within its bounds", () => {
  const pico = fc.bigInt({ min: 0n, max: 10_000n });
  const optional = fc.option(pico);
  const prices = fc
    .record({
      input: pico,
      output: pico,
      cacheRead: optional,
      cacheWrite: optional,
      reasoning: optional,
      tier: fc.option(
        fc.record({
          aboveInputTokens: fc.integer({ min: 0, max: 60 }),
          input: optional,
          output: optional,
          cacheRead: optional,
          cacheWrite: optional,
        }),
      ),
    })
    .map(({ input, output, ...more }) => tokenPrice(input, output, more));
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      prices,
      fc.integer({ min: 1, max: 5_000 }),
      fc.tuple(share, share, share, share),
      (price, most, parts) => {
        const held = estimate({ price, fields: { max_tokens: most } });
        const [read, written, output, reasoning] = parts;
        const cacheReadTokens = Math.floor(held.inputTokens * read);
        const cacheWriteTokens = Math.floor((held.inputTokens - cacheReadTokens) * written);
        const outputTokens = Math.floor(most * output);
        const usage = {
          ...NO_USAGE,
          inputTokens: held.inputTokens - cacheReadTokens - cacheWriteTokens,
          cacheReadTokens,
          cacheWriteTokens,
          outputTokens,
          reasoningTokens: Math.floor(outputTokens * reasoning),
        };
        expect(priceCall(usage, price)).toBeLessThanOrEqual(held.amount);
      },
    ),
  );
});

test("each operation uses its own output limit parameter", () => {
  const deployment = { additionalDropParams: [], offers: {} } as unknown as Deployment;
  const asked = (kind: OperationKind<never>, request: object) =>
    requestedMaxOutput(
      { kind, operation: kind.name, body: { request, dropped: new Set() } } as unknown as Call,
      deployment,
    );
  expect(asked(responses, { max_output_tokens: 50, max_tokens: 9_000 })).toBe(50);
  expect(asked(responses, { max_tokens: 9 })).toBeNull();
  expect(asked(chat, { max_output_tokens: 50 })).toBeNull();
  expect(asked(chat, { max_completion_tokens: 7 })).toBe(7);
});

test("a video is held at the whole context window, or at a million tokens if the window is unknown", () => {
  const part = { type: "video_url", video_url: { url: "https://example.com/film.mp4" } };
  const fields = { messages: [{ role: "user", content: [part] }], max_tokens: 10 };
  expect(estimate({ fields, maxInputTokens: 200_000 }).inputTokens).toBe(200_000);
  expect(estimate({ fields }).inputTokens).toBe(1_048_576);
});
