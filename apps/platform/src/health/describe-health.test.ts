import type { ModelPerformance } from "@tollgate/contracts/management/performance.ts";
import { addCounts, NO_REQUESTS } from "@tollgate/domain/figures/request-class.ts";
import { describe, expect, test } from "vitest";
import type { ServedDeployment } from "../deployments/deployment-source.ts";
import { describePair } from "../performance/describe-pair.ts";
import { rangeOf } from "../performance/performance-range.ts";
import { describeHealth } from "./describe-health.ts";
import { findIncidents } from "./find-incidents.ts";

const now = new Date("2026-11-15T12:10:00Z");
const range = rangeOf(24, now);
const QUARTER_MS = 15 * 60_000;

/** Creates one model's performance data from quarter hours, given as `[quarters ago, requests, failed]`. */
function calls(model: string, provider: string, ...quarters: [number, number, number][]): ModelPerformance {
  const cells = quarters
    .map(([ago, requests, failed]) => ({
      atMs: range.time.toMs - (ago + 1) * QUARTER_MS,
      ...{ ...NO_REQUESTS, succeeded: requests - failed, failed },
    }))
    .toSorted((one, other) => one.atMs - other.atMs);
  const pair = { model, provider, ...addCounts(cells), p50LatencyMs: 100, p95LatencyMs: 200, cells };
  return describePair({ ...pair, sample: null, lastFailure: null }, range);
}

function deployment(id: string, group: string, fields: Partial<ServedDeployment> = {}): ServedDeployment {
  return {
    id,
    group,
    provider: "openai",
    providerKind: "openai",
    isPattern: group.includes("*"),
    teamId: null,
    model: "m",
    source: { kind: "file", file: "x.yaml", line: 1 },
    apiBase: null,
    credential: "set",
    weight: null,
    order: null,
    rpm: null,
    tpm: null,
    mode: "chat",
    tags: [],
    priced: true,
    priceSource: "catalog",
    pricing: null,
    stale: false,
    status: "healthy",
    cooldownUntil: null,
    editable: false,
    modelId: null,
    params: {},
    ...fields,
  };
}

const show = (
  listed: readonly ServedDeployment[],
  performance: readonly ModelPerformance[],
  isAdministrator = true,
): readonly (readonly unknown[])[] =>
  describeHealth(listed, performance, { isAdministrator, range, now }).map(
    ({ group, deploymentId, status, requests }) => [group, deploymentId, status, requests],
  );

describe("model status", () => {
  test.each([
    ["healthy", [[0, 100, 2]]],
    ["degraded", [[0, 100, 10]]],
    ["down", [[0, 10, 6]]],
    // Two calls are too few for the status "down".
    ["degraded", [[0, 2, 2]]],
    // The errors are five hours old and no longer count.
    ["healthy", [[20, 10, 10]]],
  ] as const)("is %s after %j", (status, quarters) => {
    const model = calls("gpt", "openai", ...(quarters as unknown as [number, number, number][]));
    expect(show([deployment("d1", "gpt")], [model])[0]?.[2]).toBe(status);
  });

  test("comes from the gateway if the gateway reports cooling, unhealthy, or unknown", () => {
    const model = calls("gpt", "openai", [0, 100, 0]);
    expect(show([deployment("d1", "gpt", { status: "cooling" })], [model])[0]?.[2]).toBe("cooling");
    expect(show([deployment("d1", "gpt", { status: "unhealthy" })], [model])[0]?.[2]).toBe("down");
    expect(show([deployment("d1", "gpt", { status: "unknown" })], [])[0]?.[2]).toBe("unknown");
  });
});

test("lists each called model that matches a pattern, or the pattern itself if no model was called", () => {
  const listed = [deployment("p1", "openai/*"), deployment("p2", "sim/*", { provider: "sim" })];
  const performance = [calls("openai/a", "openai", [0, 1, 0]), calls("openai/b", "openai", [0, 2, 0])];
  expect(show(listed, performance)).toEqual([
    ["openai/a", "p1", "healthy", 1],
    ["openai/b", "p1", "healthy", 2],
    ["sim/*", "p2", "healthy", 0],
  ]);
});

test("users see one row per model and provider, with the best deployment status, and don't see other teams' models", () => {
  const listed = [
    deployment("d1", "gpt", { status: "cooling" }),
    deployment("d2", "gpt"),
    deployment("d3", "theirs", { teamId: "team_1" }),
  ];
  expect(show(listed, [], false)).toEqual([["gpt", null, "healthy", 0]]);
});

test("lists a model that is no longer served if it had calls in the last day", () => {
  expect(show([], [calls("gone", "openai", [30, 5, 0])])).toEqual([["gone", null, "unknown", 5]]);
});

describe("incidents", () => {
  test("merge bad quarter hours that are separated by at most one good one", () => {
    const model = calls("gpt", "openai", [40, 10, 10], [12, 10, 5], [11, 10, 0], [10, 10, 5], [0, 10, 4]);
    const found = findIncidents([model], now);
    expect(found.map(({ failed, to }) => [failed, to === null])).toEqual([
      [4, true],
      [10, false],
      [10, false],
    ]);
  });

  test("require more than a few failures and more than a small failure rate", () => {
    expect(findIncidents([calls("gpt", "openai", [3, 2, 2], [5, 1_000, 50])], now)).toEqual([]);
  });
});
