import type { HealthRow } from "@tollgate/contracts/management/health-board.ts";
import type { ModelPerformance } from "@tollgate/contracts/management/performance.ts";
import { HEALTH_WINDOW_MS, type HealthState, healthOf } from "@tollgate/domain/figures/deployment-health.ts";
import { addCounts, NO_REQUESTS } from "@tollgate/domain/figures/request-class.ts";
import type { ServedDeployment } from "../deployments/deployment-source.ts";
import { serves } from "../deployments/read-health.ts";
import { describePair } from "../performance/describe-pair.ts";
import type { PerformanceRange } from "../performance/performance-range.ts";

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
      ({ model, provider }) => provider === deployment.provider && serves(deployment.group, model),
    );
    for (const model of own) claimed.add(model);
    const called = own.length > 0 ? own : [neverCalled(deployment, view.range)];
    return called.map((model) => toRow(deployment, model, view));
  });
  // Also list models that had calls during the day but match no listed deployment.
  const others = performance.filter((model) => !claimed.has(model)).map((model) => toRow(null, model, view));
  return (view.isAdministrator ? rows : joinSame(rows)).concat(others);
}

function neverCalled({ group, provider }: ServedDeployment, range: PerformanceRange): ModelPerformance {
  const nothing = { ...NO_REQUESTS, p50LatencyMs: null, p95LatencyMs: null, cells: [] };
  return describePair({ model: group, provider, ...nothing, sample: null, lastFailure: null }, range);
}

function toRow(deployment: ServedDeployment | null, performance: ModelPerformance, view: HealthView): HealthRow {
  const { model, provider, medianFirstTokenMs: _first, outputTokensPerSecond: _speed, ...figures } = performance;
  return {
    group: model,
    provider: provider ?? "",
    deploymentId: view.isAdministrator ? (deployment?.id ?? null) : null,
    status: statusOf(deployment, performance, view.now),
    cooldownUntil: deployment?.cooldownUntil ?? null,
    ...figures,
  };
}

function statusOf(deployment: ServedDeployment | null, { cells }: ModelPerformance, now: Date): HealthState {
  const recent = cells.filter(({ at }) => at.getTime() > now.getTime() - HEALTH_WINDOW_MS);
  return healthOf(deployment?.status ?? null, addCounts(recent.map((cell) => ({ ...NO_REQUESTS, ...cell }))));
}

/** Statuses from best to worst. A model has the best status of its deployments. */
const order: readonly HealthState[] = ["healthy", "degraded", "unknown", "cooling", "down"];

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
