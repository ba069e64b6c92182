import { type MetricDefinition, metricDefinitions } from "../../apps/gateway/src/metrics/metric-definitions.ts";
import { bookMetricDefinitions } from "../../apps/platform/src/admin/metrics/book-metric-definitions.ts";

/** A metric known to Prometheus, with the labels of its series. */
export interface KnownSeries {
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
}

/** Labels that Prometheus adds to everything it scrapes. */
const SCRAPED = ["job", "instance"];
const PARTS_OF_HISTOGRAM = ["_bucket", "_sum", "_count"];

/** All series of both metrics endpoints, and those that Prometheus adds about scraping. */
export const metricRegistry: ReadonlyMap<string, KnownSeries> = new Map<string, KnownSeries>([
  ["up", { type: "gauge", labels: SCRAPED }],
  ...Object.entries<MetricDefinition>(metricDefinitions).flatMap(([name, { type, labels }]) =>
    seriesOf(name, type, labels),
  ),
  ...Object.entries(bookMetricDefinitions).flatMap(([name, { labels }]) => seriesOf(name, "gauge", labels)),
]);

function seriesOf(name: string, type: KnownSeries["type"], labels: readonly string[]): [string, KnownSeries][] {
  const all = [...labels, ...SCRAPED];
  if (type !== "histogram") return [[name, { type, labels: all }]];
  return PARTS_OF_HISTOGRAM.map((part) => [name + part, { type, labels: part === "_bucket" ? [...all, "le"] : all }]);
}
