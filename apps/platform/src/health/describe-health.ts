import type { HealthRow, HealthStatus } from "@tollgate/contracts/management/health-board.ts";
import type { ModelPerformance } from "@tollgate/contracts/management/performance.ts";
import { matchPattern } from "@tollgate/domain/routing/match-pattern.ts";
import type { ServedDeployment } from "../deployments/deployment-source.ts";
import { describePair } from "../performance/describe-pair.ts";
import type { PerformanceRange } from "../performance/performance-range.ts";

const HOUR_MS = 3_600_000;
const DEGRADED_SHARE = 0.05;
const DOWN_SHARE = 0.5;
/** Minimum number of calls for the status "down", because a single failed call is not significant. */
const DOWN_CALLS = 3;

interface HealthView {
  readonly isAdministrator: boolean;
  readonly range: PerformanceRange;
  readonly now: Date;
}

/**
 * Returns one row per deployment for administrators. Other users get one row per model and provider, without details.
 */
export function describeHealth(
  listed: readonly ServedDeployment[],
  performance: readonly ModelPerformance[],
  view: HealthView,
): HealthRow[] {
  const shown = listed.filter(
    ({ teamId, status }) => status !== "disabled" && (view.isAdministrator || teamId === null),
  );
  const claimed = new Set<ModelPerformance>();
  const rows = shown.flatMap((deployment) => {
    const own = performance.filter(
      ({ model, provider }) => provider === deployment.provider && serves(deployment, model),
    );
    for (const model of own) claimed.add(model);
    const called = own.length > 0 ? own : [neverCalled(deployment, view.range)];
    return called.map((model) => toRow(deployment, model, view));
  });
  // Also list models that had calls during the day but match no listed deployment.
  const others = performance.filter((model) => !claimed.has(model)).map((model) => toRow(null, model, view));
  return (view.isAdministrator ? rows : joinSame(rows)).concat(others);
}

function serves({ group, isPattern }: ServedDeployment, name: string): boolean {
  return isPattern ? matchPattern(group, name) !== null : group === name;
}

function neverCalled({ group, provider }: ServedDeployment, range: PerformanceRange): ModelPerformance {
  const nothing = { requests: 0, errors: 0, p50LatencyMs: null, p95LatencyMs: null, cells: [] };
  return describePair({ model: group, provider, ...nothing, sample: null, lastFailure: null }, range);
}

function toRow(deployment: ServedDeployment | null, performance: ModelPerformance, view: HealthView): HealthRow {
  const { requests, errors, successRate, p50LatencyMs, p95LatencyMs, medianTiming, cells, lastError } = performance;
  return {
    group: performance.model,
    provider: performance.provider ?? "",
    deploymentId: view.isAdministrator ? (deployment?.id ?? null) : null,
    status: statusOf(deployment, performance, view.now),
    cooldownUntil: deployment?.cooldownUntil ?? null,
    ...{ requests, errors, successRate, p50LatencyMs, p95LatencyMs, medianTiming, cells, lastError },
  };
}

/** Returns the status that the gateway reports or, if there is none, the status derived from the last hour's calls. */
function statusOf(deployment: ServedDeployment | null, { cells }: ModelPerformance, now: Date): HealthStatus {
  if (deployment?.status === "cooling") return "cooling";
  if (deployment?.status === "unhealthy" || deployment?.status === "unusable") return "down";
  const recent = cells.filter(({ at }) => at.getTime() > now.getTime() - HOUR_MS);
  const requests = recent.reduce((sum, cell) => sum + cell.requests, 0);
  const errors = recent.reduce((sum, cell) => sum + cell.errors, 0);
  if (requests === 0) return deployment?.status === "healthy" ? "healthy" : "unknown";
  if (errors / requests >= DOWN_SHARE && errors >= DOWN_CALLS) return "down";
  return errors / requests > DEGRADED_SHARE ? "degraded" : "healthy";
}

/** Statuses from best to worst. A model has the best status of its deployments. */
const order: readonly HealthStatus[] = ["healthy", "degraded", "unknown", "cooling", "down"];

function joinSame(rows: readonly HealthRow[]): HealthRow[] {
  const byModel = new Map<string, HealthRow>();
  for (const row of rows) {
    const key = `${row.group}\n${row.provider}`;
    const known = byModel.get(key);
    const isBetter = known === undefined || order.indexOf(row.status) < order.indexOf(known.status);
    if (isBetter) byModel.set(key, row);
  }
  return [...byModel.values()];
}
