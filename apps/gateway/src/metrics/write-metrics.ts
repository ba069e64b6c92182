import type { Deployment } from "../model-list/deployment.ts";
import { providerNameOf } from "../model-list/describe-model.ts";
import { callRow, type DeploymentSeries, perToken } from "./call-series.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import { MetricsText } from "./metrics-text.ts";
import type { BudgetState, FreeBudget } from "./seen-budgets.ts";
import { SeriesFamily } from "./series-family.ts";

/** How full this process is. */
interface OverloadState {
  readonly waiting: number;
  /** How many were refused since the start, by reason. */
  readonly refused: Readonly<Record<string, number>>;
}

/** What is not counted but looked at when someone asks. */
export interface MetricsSources {
  readonly deployments: () => readonly Deployment[];
  readonly inFlight: () => number;
  readonly gate: OverloadState;
  /** What waits for clients that have not taken it yet. */
  readonly unsentBytes: () => number;
  readonly freeBudget: FreeBudget;
  /** Records of usage that the ledger does not have yet; null where nobody knows. */
  readonly unsettled: () => number | null;
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
}

const NANO_PER_USD = 1e9;

/** Everything that was counted, in Prometheus' text form. */
export async function writeMetrics(metrics: GatewayMetrics, sources: MetricsSources): Promise<string> {
  const text = new MetricsText();
  await writeRequests(text, metrics);
  await writeCalls(text, metrics);
  await writeDeployments(text, metrics);
  await writeStates(text, sources);
  await writeBudgets(text, metrics, sources);
  await writeProcess(text, sources);
  return text.toString();
}

async function writeRequests(text: MetricsText, { requests }: GatewayMetrics): Promise<void> {
  const total = "gw_proxy_total_requests_metric_total";
  await text.values(total, "counter", "Calls, however they ended.", requests.entries(), ({ count }) => count);
  const failed = "gw_proxy_failed_requests_metric_total";
  await text.values(failed, "counter", "Calls that were answered with an error.", requests.entries(), failedOnly);
}

function failedOnly({ count }: { readonly count: number }, labels: string): number | null {
  return labels.endsWith('exception_class=""') ? null : count;
}

async function writeCalls(text: MetricsText, { calls }: GatewayMetrics): Promise<void> {
  const counters = [
    ["gw_requests_metric_total", "Calls that were accounted for.", "calls"],
    ["gw_input_tokens_metric_total", "Tokens of prompts, cached ones included.", "inputTokens"],
    ["gw_output_tokens_metric_total", "Tokens of answers.", "outputTokens"],
    ["gw_cached_tokens_metric_total", "Tokens of prompts that providers had cached.", "cachedTokens"],
  ] as const;
  for (const [name, help, field] of counters) {
    await text.values(name, "counter", help, calls.entries(), (row) => row[callRow[field]] ?? 0);
  }
  const total = "gw_total_tokens_metric_total";
  await text.values(total, "counter", "Tokens.", calls.entries(), (row) => {
    return (row[callRow.inputTokens] as number) + (row[callRow.outputTokens] as number);
  });
  const spend = "gw_spend_metric_total";
  await text.values(spend, "counter", "What calls cost, in USD.", calls.entries(), (row) => {
    return (row[callRow.spendNano] as number) / NANO_PER_USD;
  });
  const durations = [
    ["gw_request_total_latency_metric", "Seconds from the request to the end of the answer.", "total"],
    ["gw_llm_api_latency_metric", "Seconds that the provider took.", "upstream"],
    ["gw_llm_api_time_to_first_token_metric", "Seconds to the first piece of a stream.", "firstToken"],
    ["gw_overhead_latency_metric", "Seconds from the request until it was sent on.", "overhead"],
    ["gw_request_queue_time_seconds", "Seconds that calls waited for their turn.", "queued"],
  ] as const;
  for (const [name, help, field] of durations) {
    await text.durations(name, help, calls.entries(), callRow[field], (row) => row);
  }
}

async function writeDeployments(text: MetricsText, metrics: GatewayMetrics): Promise<void> {
  const { deployments, failedAttempts, cooldowns, fallbacks } = metrics;
  const successes = "gw_deployment_success_responses_total";
  await text.values(successes, "counter", "Answers.", deployments.entries(), (one) => one.successes);
  const failed = "gw_deployment_failure_responses_total";
  await text.values(failed, "counter", "Attempts that failed.", failedAttempts.entries(), ({ count }) => count);
  const attempts = "gw_deployment_total_requests_total";
  await text.values(attempts, "counter", "Attempts.", attemptsOf(metrics), (count) => count);
  const cooled = "gw_deployment_cooled_down_total";
  await text.values(cooled, "counter", "Rests after failures.", cooldowns.entries(), ({ count }) => count);
  const latency = "gw_deployment_latency_per_output_token";
  await text.durations(
    latency,
    "Seconds for each token of an answer.",
    deployments.entries(),
    perToken,
    ({ row }) => row,
  );
  const fell = "gw_deployment_successful_fallbacks_total";
  const isSuccess = (labels: string) => labels.endsWith('exception=""');
  await text.values(fell, "counter", "Calls that another model answered.", fallbacks.entries(), ({ count }, labels) =>
    isSuccess(labels) ? count : null,
  );
  const fellInVain = "gw_deployment_failed_fallbacks_total";
  const help = "Calls that another model did not answer either.";
  await text.values(fellInVain, "counter", help, fallbacks.entries(), ({ count }, labels) =>
    isSuccess(labels) ? null : count,
  );
  for (const kind of ["requests", "tokens"] as const) {
    const name = `gw_remaining_${kind}_metric`;
    const said = `What the provider says is left of its limit of ${kind}.`;
    await text.values(name, "gauge", said, deployments.entries(), (one) => remainingOf(one, kind));
  }
}

/** Successes and failures of each deployment together. */
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

const HEALTHY = 0;
const PARTIAL = 1;
const OUTAGE = 2;

async function writeStates(text: MetricsText, { deployments, wallClock }: MetricsSources): Promise<void> {
  const family = new SeriesFamily<{ deployment: Deployment | null }>(["model_id", "provider"], () => ({
    deployment: null,
  }));
  for (const deployment of deployments())
    family.get([deployment.id, providerNameOf(deployment)]).deployment = deployment;
  const nowMs = wallClock();
  const state = "gw_deployment_state";
  const help = "0: it answers; 1: it is tried out again, or some of its calls fail; 2: it rests or does not answer.";
  await text.values(
    state,
    "gauge",
    help,
    family.entries(),
    ({ deployment }) => deployment && stateOf(deployment, nowMs),
  );
  const rpm = "gw_deployment_rpm_limit";
  await text.values(rpm, "gauge", "Requests a minute.", family.entries(), ({ deployment }) => deployment?.rpm ?? null);
  const tpm = "gw_deployment_tpm_limit";
  await text.values(tpm, "gauge", "Tokens a minute.", family.entries(), ({ deployment }) => deployment?.tpm ?? null);
}

function stateOf({ state }: Deployment, nowMs: number): number {
  if (state.isUnhealthy || state.isCooling(nowMs)) return OUTAGE;
  return state.cooledUntilMs > 0 ? PARTIAL : HEALTHY;
}

/** Whose budgets, by the name metrics have for them. Those of keys and users are many, so they are told where asked for. */
const budgetOwners = { api_key: "key", team: "team", org: "organization", user: "user" } as const;

async function writeBudgets(text: MetricsText, metrics: GatewayMetrics, sources: MetricsSources): Promise<void> {
  for (const [name, scope] of Object.entries(budgetOwners)) {
    if ((scope === "key" || scope === "user") && !metrics.wideLabels.includes(scope)) continue;
    const family = new SeriesFamily<{ state: BudgetState | null }>(["id", "alias"], () => ({ state: null }));
    for (const state of metrics.budgets.statesOf(scope, sources.freeBudget, sources.wallClock())) {
      family.get([state.id, state.alias]).state = state;
    }
    const gauges = [
      [`gw_remaining_${name}_budget_metric`, "USD that are left of a budget.", "remaining"],
      [`gw_${name}_max_budget_metric`, "USD of a budget.", "maximum"],
      [`gw_${name}_budget_remaining_hours_metric`, "Hours until a budget begins anew.", "remainingHours"],
    ] as const;
    for (const [gauge, help, field] of gauges) {
      await text.values(gauge, "gauge", help, family.entries(), ({ state }) => state?.[field] ?? null);
    }
  }
}

async function writeProcess(text: MetricsText, sources: MetricsSources): Promise<void> {
  const { inFlight, unsettled, gate, unsentBytes } = sources;
  const one = [["", null]] as const;
  await text.values("gw_in_flight_requests", "gauge", "Calls under way.", one, inFlight);
  await text.values("gw_waiting_requests", "gauge", "Calls that wait for their turn.", one, () => gate.waiting);
  await text.values("gw_unsent_bytes", "gauge", "Bytes of answers that clients have not taken yet.", one, unsentBytes);
  const refusals = Object.entries(gate.refused).map(([reason, count]) => [`reason="${reason}"`, count] as const);
  const refused = "gw_overload_refusals_total";
  await text.values(
    refused,
    "counter",
    "Requests refused because there was too much to do.",
    refusals,
    (count) => count,
  );
  const queue = "gw_spend_update_queue_size";
  await text.values(queue, "gauge", "Records of usage that the ledger does not have yet.", one, unsettled);
}
