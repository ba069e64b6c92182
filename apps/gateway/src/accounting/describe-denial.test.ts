import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import { describe, expect, test } from "vitest";
import { BudgetSet } from "../adapters/key-directory.ts";
import { anyCaller, makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { type DenialContext, describeDenial } from "./describe-denial.ts";

const call = makeChatCall();

describe("insufficient credit", () => {
  const denial = { kind: "refused", allowance: { kind: "credit" }, required: 1_500_000n } as const;

  test("is reported to the nano-USD, including the amount held by running calls", () => {
    const failure = describeDenial({ ...denial, free: 1_000_000n, balance: 3_000_000_001n }, call);
    expect(failure).toMatchObject({
      code: "QUOTA_EXCEEDED",
      message: "Not enough credits: available 0.001000000 USD.",
      status: 429,
    });
    expect(failure.facts.limit).toEqual({
      kind: "credit",
      ownerType: "organization",
      ownerName: "Acme",
      current: "2.999000001",
      maximum: "3.000000001",
      required: "0.001500000",
      resetsAt: null,
    });
    expect(failure.facts.fix).toContain("0.0015 USD");
    expect(failure.facts.detail).toEqual({ available: "1000000", held: "2999000001", required: "1500000" });
    expect(failure.facts.retryAfterMs).toBeUndefined();
  });

  test.for([
    [12, 1, "That covers 12 output tokens."],
    [1, 1, "That covers 1 output token."],
    [12, 128, "That covers 12 output tokens for each of 128 choices."],
    [0, 1, "That covers 0 output tokens."],
    [null, 1, "That covers 0 output tokens, because the input alone can cost more."],
  ] as const)("is converted to output tokens: %s for %d choices", ([outputTokens, choices, reported]) => {
    const coverage = { outputTokens, choices, limitParam: "max_tokens" };
    const failure = describeDenial({ ...denial, free: 1_000_000n, balance: 1_000_000n }, call, {
      coverage,
      overdraft: 0n,
    });
    expect(failure.message).toBe(`Not enough credits: available 0.001000000 USD. ${reported}`);
    expect(failure.facts.fix).toBe(
      (outputTokens ?? 0) > 0
        ? `Buy credits, or set max_tokens to ${outputTokens} or less. This request can cost up to 0.0015 USD.`
        : "Buy credits. This request can cost up to 0.0015 USD.",
    );
  });

  test("names the reason for the hold of a video", () => {
    const parts = [{ type: "video_url", video_url: "https://x/film.mp4" }];
    const text = JSON.stringify({ model: "m", messages: [{ role: "user", content: parts }] });
    const failure = describeDenial({ ...denial, free: 0n, balance: 0n }, makeChatCall({ text }));
    expect(failure.facts.fix).toBe(
      "Buy credits. This request can cost up to 0.0015 USD, because a file, video, or recording can fill the model's context window.",
    );
  });

  test("is reported together with the overdraft", () => {
    const coverage = { outputTokens: 5, choices: 1, limitParam: "max_tokens" };
    const context = { coverage, overdraft: 2_000_000_000n };
    expect(describeDenial({ ...denial, free: 0n, balance: 0n }, call, context).message).toBe(
      "Not enough credits: available 0.000000000 USD plus an overdraft of 2 USD. That covers 5 output tokens.",
    );
  });

  test("is reported as zero if the balance is overdrawn", () => {
    const failure = describeDenial({ ...denial, free: -5n, balance: -5n }, call);
    expect(failure.message).toBe("Not enough credits: available 0.000000000 USD.");
    expect(failure.facts.limit).toMatchObject({ current: "-0.000000005", maximum: "-0.000000005" });
  });
});

describe("exhausted budget", () => {
  const spent = (
    window: Partial<BudgetWindow>,
    limit: bigint,
    left: bigint,
    required = 1n,
    context?: DenialContext,
  ) => {
    const whole: BudgetWindow = {
      scope: "key",
      scopeId: "key_1",
      startsAtMs: Date.UTC(2026, 10),
      endsAtMs: Date.UTC(2026, 11),
      ...window,
    };
    const period = { kind: "months", count: 1 } as const;
    const budgets = new BudgetSet([
      { scope: "key", scopeId: "key_1", ownerName: "ci-bot", limit, period },
      { scope: "team", scopeId: "team_1", ownerName: "Research", limit, period },
    ]);
    const under = Object.assign(makeChatCall(), { caller: { ...anyCaller, budgets } });
    const allowance = { kind: "budget", window: whole, limit } as const;
    return describeDenial({ kind: "refused", allowance, required, free: left, balance: left }, under, context);
  };

  test("reports its owner, limit, spend, and reset time", () => {
    const failure = spent({}, 25_000_000_000n, -30_000_000n);
    expect(failure.code).toBe("budget_exceeded");
    expect(failure.message).toBe("Key 'ci-bot' reached its $25.00 budget ($25.03 spent, resets 1 Dec 00:00 UTC).");
    expect(failure.facts.limit).toEqual({
      kind: "budget",
      ownerType: "key",
      ownerName: "ci-bot",
      current: "25.030000000",
      maximum: "25.000000000",
      resetsAt: "2026-12-01T00:00:00.000Z",
    });
    expect(failure.facts.fix).toBe("Raise the key's budget, or wait until it resets.");
  });

  test("with an insufficient remainder reports the remainder and the output limit that fits", () => {
    const message =
      "Key 'ci-bot' doesn't have enough left in its $25.00 budget ($24.00 spent, resets 1 Dec 00:00 UTC). ";
    const failure = spent({}, 25_000_000_000n, 1_000_000_000n, 1_500_000_000n, {
      coverage: { outputTokens: 7, choices: 1, limitParam: "max_tokens" },
      overdraft: 0n,
    });
    expect(failure.message).toBe(`${message}This request can cost up to $1.5.`);
    expect(failure.facts.fix).toBe("Raise the key's budget, or wait until it resets, or set max_tokens to 7 or less.");
  });

  test("of a team names the team", () => {
    expect(spent({ scope: "team", scopeId: "team_1" }, 1_000_000_000n, 0n).message).toMatch(/^Team 'Research' reached/);
  });

  test("reports that it never resets if its window has no end", () => {
    const failure = spent({ startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY }, 1_000_000_000n, 0n);
    expect(failure.message).toBe("Key 'ci-bot' reached its $1.00 budget ($1.00 spent, does not reset).");
    expect(failure.facts.limit?.resetsAt).toBeNull();
    expect(failure.facts.fix).toBe("Raise the key's budget.");
  });

  test("shows amounts below one cent in full", () => {
    expect(spent({}, 1_000_000n, 1n).message).toContain("$0.001 budget ($0.000999999 spent");
  });
});

describe("hold above the maximum", () => {
  const denial = { kind: "too_large", required: 134_217_728_000n, limit: 100_000_000_000n } as const;

  test("reports the limit, the amount, the output that fits, and a fix", () => {
    const coverage = { outputTokens: 97_656, choices: 128, limitParam: "max_completion_tokens" };
    const failure = describeDenial(denial, call, { coverage, overdraft: 0n });
    expect(failure).toMatchObject({ code: "invalid_request", status: 400 });
    expect(failure.message).toBe(
      "This request can cost up to 134.217728 USD, but the maximum hold per request is 100 USD (billing.maxHold). " +
        "That limit covers 97656 output tokens for each of 128 choices.",
    );
    expect(failure.facts.param).toBe("max_completion_tokens");
    expect(failure.facts.fix).toBe(
      "Set max_completion_tokens to 97656 or less, or ask the gateway operator to raise billing.maxHold.",
    );
  });

  test("suggests no output limit if none would help", () => {
    const failure = describeDenial(denial, call);
    expect(failure.message).toMatch(/\(billing\.maxHold\)\.$/);
    expect(failure.facts.param).toBeUndefined();
    expect(failure.facts.fix).toBe("Ask the gateway operator to raise billing.maxHold.");
  });
});

test.for(["recall", "ledger"] as const)(
  "an unavailable ledger is reported as 503, not as insufficient credit (%s)",
  (reason) => {
    const failure = describeDenial({ kind: "unavailable", reason }, call);
    expect(failure).toMatchObject({ code: "DB_TIMEOUT", status: 503, facts: { retryAfterMs: 1_000 } });
  },
);
