import { expect } from "vitest";

/** Parsed metric: its type, and its samples by name and labels as written. */
interface ParsedMetric {
  readonly type: string;
  readonly samples: ReadonlyMap<string, number>;
}

const LINE =
  /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/;

/**
 * Parses the Prometheus text format as strictly as Prometheus's checker. Every metric has one HELP and one TYPE
 * before its samples, samples are contiguous and unique, and histogram buckets are cumulative.
 */
export function parseMetrics(page: string): ReadonlyMap<string, ParsedMetric> {
  expect(page.endsWith("\n")).toBe(true);
  const metrics = new Map<string, { type: string; samples: Map<string, number> }>();
  let helped = "";
  let current = "";
  for (const line of page.slice(0, -1).split("\n")) {
    const [, kind, headName, rest = ""] = HEAD.exec(line) ?? [];
    if (kind === "HELP") helped = headName ?? "";
    else if (kind === "TYPE") {
      expect(headName, "HELP comes before TYPE").toBe(helped);
      expect(metrics.has(helped), `${helped} appears once`).toBe(false);
      expect(["counter", "gauge", "histogram"]).toContain(rest);
      current = helped;
      metrics.set(current, { type: rest, samples: new Map() });
    } else {
      const [, name = "", labels = "", value] = LINE.exec(line) ?? [];
      expect(name, `valid sample: ${line}`).not.toBe("");
      const metric = metrics.get(current);
      const suffixes = metric?.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      expect(suffixes.map((suffix) => current + suffix)).toContain(name);
      const series = labels === "" ? name : `${name}{${labels}}`;
      expect(metric?.samples.has(series), `${series} appears once`).toBe(false);
      metric?.samples.set(series, Number(value));
    }
  }
  for (const [name, metric] of metrics) {
    if (metric.type === "histogram") checkHistogram(name, metric);
    if (metric.type === "counter") for (const value of metric.samples.values()) expect(value).toBeGreaterThanOrEqual(0);
  }
  return metrics;
}

function checkHistogram(name: string, { samples }: ParsedMetric): void {
  for (const [series, count] of samples) {
    if (!series.startsWith(`${name}_count`)) continue;
    const labels = series.slice(`${name}_count`.length).replace(/^\{|\}$/g, "");
    const prefix = `${name}_bucket{${labels === "" ? "" : `${labels},`}le="`;
    const steps = [...samples].filter(([one]) => one.startsWith(prefix));
    const counts = steps.map(([, upTo]) => upTo);
    expect(counts, `${series} rises`).toEqual(counts.toSorted((one, other) => one - other));
    expect(steps.at(-1), series).toEqual([`${prefix}+Inf"}`, count]);
    expect(samples.has(series.replace("_count", "_sum")), series).toBe(true);
  }
}
