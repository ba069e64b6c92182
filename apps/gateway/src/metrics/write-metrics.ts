import { callRow, guardrailLatency, withoutWait } from "./call-series.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { MetricName } from "./metric-definitions.ts";
import { MetricsText } from "./metrics-text.ts";
import { type DeploymentSources, writeDeployments, writeStates, writeSubstitutions } from "./write-deployments.ts";
import { type OwnerSources, writeBudgets, writeKeyLimits } from "./write-owners.ts";
import { type ProcessSources, writeProcess } from "./write-process.ts";

/** Data sources that are read on each scrape instead of being counted. */
export interface MetricsSources extends DeploymentSources, OwnerSources, ProcessSources {}

const NANO_PER_USD = 1e9;

/** Writes all metrics in the Prometheus text format. */
export async function writeMetrics(metrics: GatewayMetrics, sources: MetricsSources): Promise<string> {
  const text = new MetricsText();
  await writeRequests(text, metrics);
  await writeCalls(text, metrics);
  await writeDeployments(text, metrics);
  await writeSubstitutions(text, metrics, sources);
  await writeStates(text, sources);
  await writeKeyLimits(text, metrics, sources);
  await writeBudgets(text, metrics, sources);
  await writeCache(text, metrics);
  await writeGuardrails(text, metrics);
  await writeProcess(text, sources);
  return text.toString();
}

async function writeRequests(text: MetricsText, metrics: GatewayMetrics): Promise<void> {
  const { requests, refusals, rateLimits } = metrics;
  await text.values("gw_proxy_total_requests_metric_total", requests.entries(), ({ count }) => count);
  await text.values("gw_proxy_failed_requests_metric_total", requests.entries(), failedOnly);
  await text.values("gw_refused_total", refusals.entries(), ({ count }) => count);
  await text.values("gw_ratelimited_total", rateLimits.entries(), ({ count }) => count);
}

function failedOnly({ count }: { readonly count: number }, labels: string): number | null {
  return labels.endsWith('exception_class=""') ? null : count;
}

async function writeCalls(text: MetricsText, { calls, retries, responsesNotStored }: GatewayMetrics): Promise<void> {
  const counts: readonly (readonly [MetricName, (row: Float64Array) => number])[] = [
    ["gw_requests_metric_total", (row) => row[callRow.calls] as number],
    ["gw_input_tokens_metric_total", (row) => row[callRow.inputTokens] as number],
    ["gw_output_tokens_metric_total", (row) => row[callRow.outputTokens] as number],
    ["gw_cached_tokens_metric_total", (row) => row[callRow.cachedTokens] as number],
    [
      "gw_total_tokens_metric_total",
      (row) => (row[callRow.inputTokens] as number) + (row[callRow.outputTokens] as number),
    ],
    ["gw_spend_metric_total", (row) => (row[callRow.spendNano] as number) / NANO_PER_USD],
  ];
  for (const [name, read] of counts) await text.values(name, calls.entries(), read);
  const durations = [
    ["gw_request_total_latency_metric", "total"],
    ["gw_llm_api_latency_metric", "upstream"],
    ["gw_llm_api_time_to_first_token_metric", "firstToken"],
    ["gw_overhead_latency_metric", "overhead"],
  ] as const;
  for (const [name, field] of durations) {
    await text.durations(name, calls.entries(), callRow[field], (row) => row);
  }
  await text.durations("gw_request_queue_time_seconds", calls.entries(), callRow.queued, withoutWait);
  await text.values("gw_retries_total", [["", retries]], ({ count }) => count);
  await text.values("gw_responses_not_stored_total", [["", responsesNotStored]], ({ count }) => count);
}

async function writeCache(text: MetricsText, { cache }: GatewayMetrics): Promise<void> {
  await text.values("gw_cache_hits_metric_total", cache.entries(), ({ hits }) => hits);
  await text.values("gw_cache_misses_metric_total", cache.entries(), ({ misses }) => misses);
}

async function writeGuardrails(text: MetricsText, { guardrails }: GatewayMetrics): Promise<void> {
  await text.values("gw_guardrail_requests_total", guardrails.entries(), (one) => one.requests);
  await text.values("gw_guardrail_errors_total", guardrails.entries(), (one) => one.errors);
  await text.durations("gw_guardrail_latency_seconds", guardrails.entries(), guardrailLatency, ({ row }) => row);
}
