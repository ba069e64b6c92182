import type { Comparison } from "./comparison.ts";
import type { Seeded } from "./figures-test.ts";
import { growthOf } from "./read-counters.ts";
import { CLASSES } from "./read-rows.ts";

/** Compares by how much the counters of `/metrics` grew with the rows of the live requests. */
export async function compareMetrics(comparison: Comparison, { rows, keys, counters, now }: Seeded): Promise<void> {
  const range = { from: keys.since, to: new Date(now.getTime() + 3_600_000) };
  const all = await rows.sum(range);
  for (const name of CLASSES) {
    const growth = growthOf(counters, "gw_proxy_total_requests_metric_total", `class="${name}"`);
    comparison.compare("metrics", name, growth, all[name]);
  }
  const models = await rows.sumBy("model", range, "latency_ms is not null");
  for (const { name, requests, input, output, cached, cost } of models) {
    const label = `model="${name}"`;
    comparison.compare(
      "metrics",
      `requests of ${name}`,
      growthOf(counters, "gw_requests_metric_total", label),
      requests,
    );
    comparison.compare(
      "metrics",
      `input tokens of ${name}`,
      growthOf(counters, "gw_input_tokens_metric_total", label),
      input,
    );
    comparison.compare(
      "metrics",
      `output tokens of ${name}`,
      growthOf(counters, "gw_output_tokens_metric_total", label),
      output,
    );
    comparison.compare(
      "metrics",
      `cached tokens of ${name}`,
      growthOf(counters, "gw_cached_tokens_metric_total", label),
      cached,
    );
    const spend = BigInt(Math.round(growthOf(counters, "gw_spend_metric_total", label) * 1_000_000_000));
    comparison.compare("metrics", `spend of ${name}`, spend, cost);
  }
}
