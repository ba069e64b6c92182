import { type MetricDefinition, metricDefinitions } from "./metric-definitions.ts";

type Combine = (one: number, other: number) => number;

interface Metric {
  readonly head: string;
  readonly combine: Combine;
  /** Values, keyed by the text that precedes each value: the name and the labels. */
  readonly samples: Map<string, number>;
}

/** Merges the metrics of several processes. Adds counters, and combines gauges according to their definitions. */
export function mergeMetrics(texts: readonly string[]): string {
  if (texts.length === 1) return texts[0] as string;
  const metrics = new Map<string, Metric>();
  for (const text of texts) addTo(metrics, text);
  let merged = "";
  for (const { head, samples } of metrics.values()) {
    merged += head;
    for (const [series, value] of samples) merged += `${series} ${value}\n`;
  }
  return merged;
}

function addTo(metrics: Map<string, Metric>, text: string): void {
  let metric: Metric | undefined;
  let help = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("# HELP ")) help = line;
    else if (line.startsWith("# TYPE ")) {
      const [, , name = "", type = ""] = line.split(" ");
      metric = metrics.get(name);
      if (metric !== undefined) continue;
      metric = { head: `${help}\n${line}\n`, combine: combineOf(name, type), samples: new Map() };
      metrics.set(name, metric);
    } else if (line !== "" && metric !== undefined) {
      const space = line.lastIndexOf(" ");
      const series = line.slice(0, space);
      const value = Number(line.slice(space + 1));
      const known = metric.samples.get(series);
      metric.samples.set(series, known === undefined ? value : metric.combine(known, value));
    }
  }
}

function combineOf(name: string, type: string): Combine {
  const { merge }: Partial<MetricDefinition> = (metricDefinitions as Record<string, MetricDefinition>)[name] ?? {};
  if (type !== "gauge" || merge === "sum") return (one, other) => one + other;
  return merge === "least" ? Math.min : Math.max;
}
