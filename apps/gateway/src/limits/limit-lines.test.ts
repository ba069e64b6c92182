import { afterEach, expect, test } from "vitest";
import { describeRefusal } from "./describe-refusal.ts";
import type { RateLimitReservation, Refusal } from "./limit.ts";
import { formatSpan, limitLines } from "./limit-lines.ts";
import { limitedCaller, startLimiter, type TestLimiter } from "./limiter.fixture.ts";

let process: TestLimiter;

afterEach(() => process?.close());

test("response headers list the tightest limit, the model limits, and every limit under its own name", async () => {
  process = startLimiter(null, { processes: 1, usesOwnClock: true });
  const caller = limitedCaller({
    key: { rpm: 60, tpm: 10_000, maxParallel: 5, modelRpm: { "openai/gpt:4": 10 } },
    team: { rpm: 30 },
  });
  const taken = (await process.take(caller, 100, "openai/gpt:4")) as RateLimitReservation;
  process.clock.nowMs += 500;
  expect(limitLines(process.limiter, taken, "openai/gpt:4", process.clock.nowMs).split("\r\n")).toEqual([
    "x-ratelimit-model_per_key-limit-requests: 10",
    "x-ratelimit-model_per_key-remaining-requests: 9",
    "x-gw-key-remaining-requests-openai-gpt-4: 9",
    "x-ratelimit-api_key-limit-max_parallel_requests: 5",
    "x-ratelimit-api_key-remaining-max_parallel_requests: 4",
    "x-ratelimit-api_key-limit-requests: 60",
    "x-ratelimit-api_key-remaining-requests: 59",
    "x-ratelimit-api_key-limit-tokens: 10000",
    "x-ratelimit-api_key-remaining-tokens: 9900",
    "x-ratelimit-team-limit-requests: 30",
    "x-ratelimit-team-remaining-requests: 29",
    "x-ratelimit-limit-requests: 10",
    "x-ratelimit-remaining-requests: 9",
    "x-ratelimit-reset-requests: 1m0s",
    "x-ratelimit-limit-tokens: 10000",
    "x-ratelimit-remaining-tokens: 9900",
    "x-ratelimit-reset-tokens: 1m0s",
    "",
  ]);
});

test("a model name cannot inject a header line", async () => {
  process = startLimiter(null, { processes: 1, usesOwnClock: true });
  const model = "a\r\nset-cookie: b";
  const caller = limitedCaller({ key: { modelTpm: { [model]: 10 } } });
  const lines = limitLines(
    process.limiter,
    (await process.take(caller, 1, model)) as RateLimitReservation,
    model,
    process.clock.nowMs,
  );
  expect(lines).toContain("x-gw-key-remaining-tokens-a--set-cookie--b: 9\r\n");
});

test.for([
  [0, "0ms"],
  [5.2, "6ms"],
  [999, "999ms"],
  [11_001, "12s"],
  [90_000, "1m30s"],
  [59_999, "1m0s"],
  [3_605_000, "1h0m5s"],
] as const)("%i ms is formatted as %s", ([spanMs, text]) => {
  expect(formatSpan(spanMs)).toBe(text);
});

const refusal: Refusal = {
  kind: "refused",
  type: "requests",
  scope: "api_key",
  ownerName: "ci-bot",
  limit: 60,
  current: 60,
  windowMs: 60_000,
  resetAtMs: Date.UTC(2026, 10, 15, 12, 0, 12),
  retryAfterMs: 11_200,
};

test("a refusal reports the owner, limit, usage, reset time, and fix", () => {
  const failure = describeRefusal(refusal);
  expect([failure.code, failure.message]).toEqual([
    "rate_limit_exceeded",
    "Key 'ci-bot' has reached its limit of 60 requests per minute (60 used, resets in 12 s).",
  ]);
  expect(failure.facts).toEqual({
    retryAfterMs: 11_200,
    rateLimit: { type: "requests", scope: "api_key" },
    limit: {
      kind: "requests",
      ownerType: "key",
      ownerName: "ci-bot",
      current: 60,
      maximum: 60,
      resetsAt: "2026-11-15T12:00:12.000Z",
    },
    fix: "Wait 12 s, or raise the key's limit.",
  });
});

test("a refusal message describes model limits, concurrency limits, and owners without a name", () => {
  const ofModel = {
    ...refusal,
    type: "tokens",
    scope: "model_per_team",
    ownerName: "Search",
    windowMs: 5_000,
  } as const;
  expect(describeRefusal(ofModel).message).toBe(
    "Team 'Search' has reached its limit of 60 tokens per 5 s on this model (60 used, resets in 12 s).",
  );
  const slots = { ...refusal, type: "max_parallel_requests", limit: 1, current: 1 } as const;
  expect(describeRefusal(slots).message).toBe(
    "Key 'ci-bot' has reached its limit of 1 concurrent request (1 in flight).",
  );
  expect(describeRefusal(slots).facts.fix).toBe("Wait for a request to finish, or raise the key's limit.");
  const nameless = { ...refusal, scope: "organization", ownerName: null } as const;
  expect(describeRefusal(nameless).message).toMatch(/^The organization has reached its limit of 60 requests/);
});
