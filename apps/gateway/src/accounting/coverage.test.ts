import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Deployment } from "../call/deployment.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import { completions } from "../operations/completions/completions.ts";
import { embeddings } from "../operations/embeddings/embeddings.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { BILLING } from "./billing.fixture.ts";
import { coverageOf } from "./describe-denial.ts";
import { estimateCall } from "./estimate-call.ts";

const PRICE = tokenPrice(1_000n, 2_000n);
const deployment = {
  facts: { maxInputTokens: null, maxOutputTokens: null },
  provider: { outputLimitParam: "max_tokens", translations: {} },
  offers: {},
  allowedParams: [],
  additionalDropParams: [],
  price: PRICE,
} as unknown as Deployment;

function callOf(fields: object, kind?: OperationKind) {
  const text = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }], ...fields });
  return makeChatCall({ text, ...(kind !== undefined && { kind }) });
}

test("covered output is the largest output limit whose hold the amount covers", () => {
  const funds = { free: null, largestHold: () => 0n };
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 5_000n }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(1, 0.5, 0.37),
      (amount, n, holdFactor) => {
        const billing = { ...BILLING, holdFactor };
        const holdOf = (max_tokens: number) =>
          estimateCall(callOf({ n, max_tokens }), deployment, PRICE, billing, funds).amount;
        // The limit is part of the request body, so its digits count toward the input.
        const coverage = coverageOf(amount, callOf({ n, max_tokens: 1_000 }), deployment, PRICE, billing);
        const tokens = coverage?.outputTokens ?? null;
        if (tokens !== null) expect(holdOf(tokens)).toBeLessThanOrEqual(amount);
        expect(holdOf((tokens ?? 0) + 3)).toBeGreaterThan(amount);
      },
    ),
  );
});

test("an amount below the input cost covers no output", () => {
  const call = callOf({ max_completion_tokens: 5 });
  expect(coverageOf(1n, call, deployment, PRICE, BILLING)).toEqual({
    outputTokens: null,
    choices: 1,
    limitParam: "max_completion_tokens",
  });
});

test("operations without output tokens have no coverage", () => {
  const call = callOf({ input: "hello" }, embeddings as unknown as OperationKind);
  expect(coverageOf(100n, call, deployment, PRICE, BILLING)).toBeNull();
});

test("does not suggest a limit that the deployment drops", () => {
  const dropping = { ...deployment, additionalDropParams: ["max_tokens"] } as unknown as Deployment;
  expect(coverageOf(100n, callOf({ max_tokens: 5 }), dropping, PRICE, BILLING)).toBeNull();
});

test("the coverage of text completions includes every choice for every prompt", () => {
  const fields = { prompt: ["one", "two"], n: 3, max_tokens: 10 };
  const call = callOf(fields, completions as unknown as OperationKind);
  const most = completions.boundUsage(call as never, deployment);
  const amount = BigInt(most?.inputTokens ?? 0) + 6n * 7n * 2n;
  expect(coverageOf(amount, call, deployment, PRICE, BILLING)).toMatchObject({ outputTokens: 7, choices: 6 });
});
