import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { expect, test } from "vitest";
import { DEMO_KEYS, DEMO_REQUESTS, DEMO_TEAMS } from "./demo-cast.ts";
import { DEMO_MODELS } from "./demo-models.ts";
import { planRequests } from "./plan-requests.ts";
import type { PlannedRequest } from "./planned-request.ts";

const DAY_MS = 86_400_000;
const MONDAY_MS = Date.UTC(2026, 10, 16, 10, 20);
const prices = new Map(DEMO_MODELS.map(({ name }) => [name, tokenPrice(2_000_000n, 8_000_000n)]));
const plan = (nowMs: number) => planRequests({ seed: 1, nowMs, requests: DEMO_REQUESTS, prices });

/** The figures of all requests, in any order, because the order of requests of different sessions follows from times. */
const figuresOf = (requests: readonly PlannedRequest[]) =>
  requests
    .map((request) =>
      request.kind === "call"
        ? [request.key.name, request.model.name, request.status, request.httpStatus, request.cost, request.latencyMs]
        : [request.key.name, request.modelGroup, request.requestedModel, request.class, request.errorCode],
    )
    .map((figures) => figures.join(" "))
    .sort();

test("every start has the same figures, whatever the time", () => {
  expect(figuresOf(plan(MONDAY_MS + 3.3 * DAY_MS))).toEqual(figuresOf(plan(MONDAY_MS)));
});

test("the month has every kind of request, for all teams, keys, and models", () => {
  const requests = plan(MONDAY_MS);
  expect(requests.length).toBeGreaterThanOrEqual(5_000);
  const calls = requests.filter((request) => request.kind === "call");
  const refusals = requests.filter((request) => request.kind === "refusal");
  expect(new Set(calls.map(({ status }) => status)).size).toBe(3);
  expect(new Set(refusals.map((refusal) => refusal.class)).size).toBe(2);
  expect(new Set(calls.map(({ model }) => model.name)).size).toBe(DEMO_MODELS.length);
  expect(new Set(calls.map(({ key }) => key.name)).size).toBe(DEMO_KEYS.length);
  expect(new Set(calls.map(({ key }) => key.team)).size).toBe(DEMO_TEAMS.length);
  expect([DEMO_TEAMS.length, DEMO_KEYS.length, DEMO_MODELS.length]).toEqual([6, 20, 8]);
  expect(calls.some(({ fallbackFrom }) => fallbackFrom !== null)).toBe(true);
  expect(calls.some(({ usage }) => usage.cacheReadTokens > 0)).toBe(true);
});

test("only a key with a rate limit reaches it", () => {
  const refusals = plan(MONDAY_MS).filter((request) => request.kind === "refusal");
  const limited = refusals.filter(({ errorCode }) => errorCode === "rate_limit_exceeded");
  expect(limited.length).toBeGreaterThan(0);
  expect(limited.filter(({ key }) => key.requestsPerMinute === undefined)).toEqual([]);
});

test("requests are in order, end before the start, and use only keys that exist", () => {
  const requests = plan(MONDAY_MS);
  for (const [index, request] of requests.entries()) {
    expect(request.atMs).toBeGreaterThanOrEqual(requests[index - 1]?.atMs ?? MONDAY_MS - 30 * DAY_MS);
    expect(request.atMs).toBeGreaterThan(MONDAY_MS - request.key.createdOnDay * DAY_MS);
    expect(request.atMs).toBeLessThan(MONDAY_MS);
  }
});

test("weekends are quieter than weekdays, and nights are quieter than days", () => {
  const requests = plan(MONDAY_MS);
  const countOn = (matches: (at: Date) => boolean) => requests.filter(({ atMs }) => matches(new Date(atMs))).length;
  // The 30 days before a Monday have 4 Sundays and 4 Tuesdays.
  expect(countOn((at) => at.getUTCDay() === 0)).toBeLessThan(countOn((at) => at.getUTCDay() === 2) / 2);
  expect(countOn((at) => at.getUTCHours() === 3)).toBeLessThan(countOn((at) => at.getUTCHours() === 15) / 3);
});
