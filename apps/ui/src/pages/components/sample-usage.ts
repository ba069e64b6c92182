import { dayColumns } from "../../charts/chart-column.ts";
import { colorsFor } from "../../charts/series-colors.ts";
import { stackRows } from "../../charts/stack-series.ts";

const models = {
  "claude-sonnet-4-5": 5.6,
  "gpt-5": 4,
  "gpt-5-mini": 3.5,
  "gemini-2.5-flash": 1.6,
  "deepseek-v3.2": 0.95,
  "llama-3.3-70b": 0.73,
  "text-embedding-3-small": 0.57,
  "mistral-small-3.2": 0.08,
  "gpt-5-nano": 0.04,
} as const;

/** Relative load per day, with two quiet weekends. */
const days = [1.25, 0.6, 0.61, 1.2, 1.1, 1.11, 1.29, 1.22, 0.62, 0.61, 1.28, 1.4, 1.1, 0.82];

/** Columns for two weeks. */
export const sampleColumns = dayColumns("2026-10-30T00:00:00Z", "2026-11-13T00:00:00Z", "UTC");

const rows = sampleColumns.flatMap(({ key }, day) =>
  Object.entries(models).map(([model, perDay]) => ({
    day: key,
    model,
    cost: BigInt(Math.round(perDay * (days[day] ?? 1) * 1_000_000)) * 1_000n,
  })),
);

export const sampleStack = stackRows({
  columns: sampleColumns,
  rows,
  columnOf: ({ day }) => day,
  seriesOf: ({ model }) => model,
  valueOf: ({ cost }) => cost,
});

export const samplePrevious = sampleStack.totals.map((total, day) => (total * BigInt(85 + ((day * 7) % 20))) / 100n);

export const sampleColors = colorsFor(sampleStack.series.map(({ key }) => key));

/** Percentiles of the time to first token, in milliseconds. */
export const sampleLatency = {
  p50: days.map((busy) => 380 + busy * 40),
  p95: days.map((busy, day) => (day === 8 ? 1_900 : 1_150 + busy * 150)),
  p99: days.map((busy, day) => (day === 8 ? 4_100 : 2_350 + busy * 250)),
};
