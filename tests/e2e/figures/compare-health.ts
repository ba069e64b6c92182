import type { Comparison } from "./comparison.ts";
import type { Seeded } from "./figures-test.ts";
import { errorRate, NO_SUMS, percentile, type Sums } from "./read-rows.ts";

const HOUR_MS = 3_600_000;
const QUARTER_MS = 15 * 60_000;

/** Requests that were sent to a provider. */
export const DELIVERED = "latency_ms is not null";

/** The health of a model by the requests of the last hour, if no gateway reports a cooldown. */
export function healthOf(sums: Sums): string {
  const rate = errorRate(sums);
  // Models that no one called are healthy, because the gateway reports them as such.
  if (rate === null) return "healthy";
  if (rate >= 0.5 && sums.failed >= 3) return "down";
  return rate > 0.05 ? "degraded" : "healthy";
}

/** Compares the health board, the deployments, and the performance of models. */
export async function compareHealth(comparison: Comparison, { platform, rows }: Seeded): Promise<void> {
  const { deployments, incidents } = await platform.call("getDeploymentHealth");
  const cells = deployments[0]?.cells ?? [];
  const from = new Date(String(cells[0]?.at));
  const day = { from, to: new Date(from.getTime() + cells.length * QUARTER_MS) };
  const sums = await rows.sumBy("model || ' ' || provider", day, DELIVERED);
  const lastHour = { from: new Date(Date.now() - HOUR_MS), to: day.to };
  const recent = await rows.sumBy("model || ' ' || provider", lastHour, DELIVERED);
  const { deployments: configured } = await platform.call("listDeployments");
  for (const deployment of deployments.filter(({ requests }) => requests > 0)) {
    const { group, provider } = deployment;
    const name = `${group} ${provider}`;
    const own = sums.find((each) => each.name === name) ?? NO_SUMS;
    const compare = (figure: string, actual: number | string | null, expected: number | string | null) =>
      comparison.compare("API health", `${name}, ${figure}`, actual, expected);
    compare("requests", deployment.requests, own.requests);
    compare("succeeded", deployment.succeeded, own.succeeded);
    compare("failed", deployment.failed, own.failed);
    compare("rejected", deployment.rejected, own.rejected);
    compare("canceled", deployment.canceled, own.canceled);
    compare("error rate", deployment.errorRate, errorRate(own));
    compare("median latency", deployment.p50LatencyMs, percentile(own, 0.5));
    compare("95th percentile", deployment.p95LatencyMs, percentile(own, 0.95));
    compare(
      "failed in all cells",
      deployment.cells.reduce((sum, { failed }) => sum + failed, 0),
      own.failed,
    );
    compare(
      "succeeded in all cells",
      deployment.cells.reduce((sum, { succeeded }) => sum + succeeded, 0),
      own.succeeded,
    );
    if (deployment.cooldownUntil === null) {
      compare("health", deployment.status, healthOf(recent.find((each) => each.name === name) ?? NO_SUMS));
    }
    const listed = configured.find(({ id }) => id === deployment.deploymentId);
    comparison.compare("API deployments", `${name}, health`, listed?.health, deployment.status);
  }
  comparison.compare(
    "API health",
    "failed requests in incidents are failed requests",
    incidents.every(
      ({ failed, group, provider }) =>
        failed <= (sums.find(({ name }) => name === `${group} ${provider}`)?.failed ?? 0),
    ),
    true,
  );
  await comparePerformance(comparison, { platform, rows });
}

async function comparePerformance(
  comparison: Comparison,
  { platform, rows }: Pick<Seeded, "platform" | "rows">,
): Promise<void> {
  for (const hours of [24, 168, 720] as const) {
    const { performance, meta } = await platform.call("getPerformance", { query: { hours } });
    const range = { from: new Date(meta.startDate), to: new Date(meta.endDate) };
    const sums = await rows.sumBy("model || ' ' || provider", range, DELIVERED);
    comparison.compare(`API performance, ${hours} hours`, "models", performance.length, sums.length);
    for (const { model, provider, ...entry } of performance) {
      const name = `${model} ${provider ?? ""}`;
      const own = sums.find((each) => each.name === name) ?? NO_SUMS;
      const rate = errorRate(own);
      const compare = (figure: string, actual: number | null, expected: number | null) =>
        comparison.compare(`API performance, ${hours} hours`, `${name}, ${figure}`, actual, expected);
      compare("requests", entry.requests, own.requests);
      compare("failed", entry.failed, own.failed);
      compare("success rate", entry.successRate, rate === null ? null : 1 - rate);
      compare("median latency", entry.p50LatencyMs, percentile(own, 0.5));
      compare("95th percentile", entry.p95LatencyMs, percentile(own, 0.95));
    }
  }
}
