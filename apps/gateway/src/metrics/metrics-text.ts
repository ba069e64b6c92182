import { setImmediate as nextTurn } from "node:timers/promises";
import type { Histogram } from "./histogram.ts";
import { type MetricDefinition, type MetricName, metricDefinitions } from "./metric-definitions.ts";

/** Number of lines to write before yielding to the event loop. */
const LINES_PER_TURN = 2_000;

/** Writes metrics in the Prometheus text format, in steps, so that a long response doesn't delay calls. */
export class MetricsText {
  readonly #parts: string[] = [];
  #lines = 0;

  /** Writes one value per series; null omits a series. The header is written even without any series. */
  async values<Series>(
    name: MetricName,
    series: Iterable<readonly [labels: string, Series]>,
    read: (series: Series, labels: string) => number | null,
  ): Promise<void> {
    this.#parts.push(headOf(name));
    for (const [labels, one] of series) {
      const value = read(one, labels);
      if (value === null) continue;
      this.#parts.push(`${name}${braces(labels)} ${value}\n`);
      await this.#rest(1);
    }
  }

  /** Writes durations as histograms. The values are in seconds, because the format requires seconds. */
  async durations<Series>(
    name: MetricName,
    series: Iterable<readonly [labels: string, Series]>,
    histogram: Histogram,
    rowOf: (series: Series) => Float64Array,
  ): Promise<void> {
    this.#parts.push(headOf(name));
    for (const [labels, one] of series) {
      const text = histogramLines(name, labels, histogram, rowOf(one));
      if (text === "") continue;
      this.#parts.push(text);
      await this.#rest(histogram.bounds.length + 3);
    }
  }

  toString(): string {
    return this.#parts.join("");
  }

  async #rest(lines: number): Promise<void> {
    this.#lines += lines;
    if (this.#lines < LINES_PER_TURN) return;
    this.#lines = 0;
    await nextTurn();
  }
}

function headOf(name: MetricName): string {
  const { type, help }: MetricDefinition = metricDefinitions[name];
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

/** Returns an empty string if there are no observations. */
function histogramLines(name: string, labels: string, { start, bounds }: Histogram, row: Float64Array): string {
  const prefix = labels === "" ? "" : `${labels},`;
  let upTo = 0;
  let text = "";
  for (let step = 0; step <= bounds.length; step += 1) {
    upTo += row[start + 1 + step] as number;
    const bound = bounds[step];
    text += `${name}_bucket{${prefix}le="${bound === undefined ? "+Inf" : bound / 1_000}"} ${upTo}\n`;
  }
  if (upTo === 0) return "";
  const sum = (row[start] as number) / 1_000;
  return `${text}${name}_sum${braces(labels)} ${sum}\n${name}_count${braces(labels)} ${upTo}\n`;
}

function braces(labels: string): string {
  return labels === "" ? "" : `{${labels}}`;
}
