import { expect, test } from "vitest";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { GatewayMetrics } from "./gateway-metrics.ts";
import { metricDefinitions } from "./metric-definitions.ts";
import { MetricsText } from "./metrics-text.ts";
import { parseMetrics } from "./parse-metrics.fixture.ts";
import { writeSubstitutions } from "./write-deployments.ts";
import { type MetricsSources, writeMetrics } from "./write-metrics.ts";

const idle: MetricsSources = {
  deployments: () => [],
  inFlight: () => 0,
  unattended: () => 0,
  gate: { waiting: 0, refused: { memory: 2 } },
  unsentBytes: () => 0,
  freeBudget: () => null,
  limits: { limitsOf: () => null, leftOf: () => 0 },
  unsettled: () => 0,
  journal: { canAdmit: true },
  journalDisk: async () => ({ freeBytes: 5_000, totalBytes: 10_000 }),
  logQueue: () => 0,
  certificateExpiry: () => null,
  telemetry: { spans: { sent: 3, dropped: 1 } },
  wallClock: () => 0,
};

test("lists every metric immediately after startup, except key and user metrics that are not enabled", async () => {
  const names = (labels: ConstructorParameters<typeof GatewayMetrics>[0]) =>
    writeMetrics(new GatewayMetrics(labels), idle).then((page) => [...parseMetrics(page).keys()].toSorted());
  expect(await names(["key", "user", "end_user"])).toEqual(Object.keys(metricDefinitions).toSorted());
  const usual = Object.entries(metricDefinitions).filter(([, definition]) => !("onlyWith" in definition));
  expect(await names([])).toEqual(usual.map(([name]) => name).toSorted());
});

test("counts cache hits and misses and guardrail results", async () => {
  const metrics = new GatewayMetrics([]);
  const call = { model: { name: "alpha" } } as Call;
  metrics.cacheAsked(call, false);
  metrics.cacheAsked(call, true);
  metrics.cacheAsked(call, true);
  metrics.guardrailRan("pii", "pre_call", 3, false);
  metrics.guardrailRan("pii", "pre_call", 700, true);
  const parsed = parseMetrics(await writeMetrics(metrics, idle));
  const sampleOf = (name: string, series: string) => parsed.get(name)?.samples.get(series);
  const labels = '{guardrail="pii",mode="pre_call"}';
  expect(sampleOf("gw_cache_hits_metric_total", 'gw_cache_hits_metric_total{model="alpha"}')).toBe(2);
  expect(sampleOf("gw_cache_misses_metric_total", 'gw_cache_misses_metric_total{model="alpha"}')).toBe(1);
  expect(sampleOf("gw_guardrail_requests_total", `gw_guardrail_requests_total${labels}`)).toBe(2);
  expect(sampleOf("gw_guardrail_errors_total", `gw_guardrail_errors_total${labels}`)).toBe(1);
  expect(sampleOf("gw_guardrail_latency_seconds", `gw_guardrail_latency_seconds_sum${labels}`)).toBeCloseTo(0.703);
  expect(sampleOf("gw_telemetry_items_total", 'gw_telemetry_items_total{signal="spans",outcome="dropped"}')).toBe(1);
});

test("reports 0 for a deployment without model substitutions, so that the first substitution is an increase", async () => {
  const metrics = new GatewayMetrics([]);
  const mine = { id: "mine" } as Deployment;
  const text = new MetricsText();
  await writeSubstitutions(text, metrics, { deployments: () => [mine], wallClock: () => 0 });
  const samples = parseMetrics(text.toString()).get("gw_model_substitutions_total")?.samples;
  expect(samples?.get('gw_model_substitutions_total{model_id="mine"}')).toBe(0);
});
