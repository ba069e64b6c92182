import type { Deployment } from "../call/deployment.ts";
import { providerNameOf } from "../models/describe-model.ts";
import { type DeploymentSeries, perToken } from "./call-series.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { MetricsText } from "./metrics-text.ts";
import { SeriesFamily } from "./series-family.ts";

/** Data sources for the deployment metrics. */
export interface DeploymentSources {
  readonly deployments: () => readonly Deployment[];
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
}

const HEALTHY = 0;
const PARTIAL = 1;
const OUTAGE = 2;

/** Writes the response and failure counts of deployments, and the outcomes of failed calls. */
export async function writeDeployments(text: MetricsText, metrics: GatewayMetrics): Promise<void> {
  const { deployments, failedAttempts, losses, cooldowns, fallbacks } = metrics;
  await text.values("gw_deployment_success_responses_total", deployments.entries(), (one) => one.successes);
  await text.values("gw_deployment_failure_responses_total", failedAttempts.entries(), ({ count }) => count);
  await text.values("gw_deployment_total_requests_total", attemptsOf(metrics), (count) => count);
  await text.values("gw_operator_loss_nanousd_total", losses.entries(), ({ count }) => count);
  await text.values("gw_deployment_cooled_down_total", cooldowns.entries(), ({ count }) => count);
  await text.durations("gw_deployment_latency_per_output_token", deployments.entries(), perToken, ({ row }) => row);
  const isSuccess = (labels: string) => labels.endsWith('exception=""');
  await text.values("gw_deployment_successful_fallbacks_total", fallbacks.entries(), ({ count }, labels) =>
    isSuccess(labels) ? count : null,
  );
  await text.values("gw_deployment_failed_fallbacks_total", fallbacks.entries(), ({ count }, labels) =>
    isSuccess(labels) ? null : count,
  );
  for (const kind of ["requests", "tokens"] as const) {
    await text.values(`gw_remaining_${kind}_metric`, deployments.entries(), (one) => remainingOf(one, kind));
  }
}

/**
 * Writes model substitutions. Every deployment starts at 0, because Prometheus detects no increase in a series that
 * starts at 1.
 */
export async function writeSubstitutions(
  text: MetricsText,
  { substitutions }: GatewayMetrics,
  { deployments }: DeploymentSources,
): Promise<void> {
  for (const { id } of deployments()) substitutions.get([id]);
  await text.values("gw_model_substitutions_total", substitutions.entries(), ({ count }) => count);
}

/** Writes the current state and limits of each deployment. */
export async function writeStates(text: MetricsText, { deployments, wallClock }: DeploymentSources): Promise<void> {
  const family = new SeriesFamily<{ deployment: Deployment | null }>(["model_id", "provider"], () => ({
    deployment: null,
  }));
  for (const deployment of deployments())
    family.get([deployment.id, providerNameOf(deployment)]).deployment = deployment;
  const nowMs = wallClock();
  const states = [
    ["gw_deployment_state", (one: Deployment) => stateOf(one, nowMs)],
    ["gw_deployment_rpm_limit", (one: Deployment) => one.rpm],
    ["gw_deployment_tpm_limit", (one: Deployment) => one.tpm],
  ] as const;
  for (const [name, read] of states) {
    await text.values(name, family.entries(), ({ deployment }) => deployment && read(deployment));
  }
}

/** Returns the total number of successes and failures for each deployment. */
function attemptsOf({ deployments, failedAttempts }: GatewayMetrics): Map<string, number> {
  const attempts = new Map<string, number>();
  for (const [labels, { successes }] of deployments.entries()) attempts.set(labels, successes);
  for (const [labels, { count }] of failedAttempts.entries()) {
    const deployment = labels.slice(0, labels.lastIndexOf(",exception="));
    attempts.set(deployment, (attempts.get(deployment) ?? 0) + count);
  }
  return attempts;
}

function remainingOf({ headers }: DeploymentSeries, kind: "requests" | "tokens"): number | null {
  const value = headers?.[`x-ratelimit-remaining-${kind}`] ?? headers?.[`anthropic-ratelimit-${kind}-remaining`];
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

function stateOf({ state }: Deployment, nowMs: number): number {
  if (state.isUnhealthy || state.isCooling(nowMs)) return OUTAGE;
  return state.cooledUntilMs > 0 ? PARTIAL : HEALTHY;
}
