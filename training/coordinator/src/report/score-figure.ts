import type { EvaluateHistory, RoundHistory, RunHistory } from "../run-history.ts";
import { assignSeries, chooseLines } from "./assign-series.ts";
import { extremes } from "./extremes.ts";
import type { Figure } from "./figure.ts";
import { formatScore } from "./format-figure.ts";
import { lineChart } from "./line-chart.ts";
import { ownRound } from "./own-round.ts";

/**
 * Chart of accuracy or another evaluation metric per round: overall, by participant, and the spread. Null if the metric
 * wasn't reported.
 */
export function scoreFigure(history: RunHistory, metric: string): Figure | null {
  const rounds = history.rounds.filter((round) => globalValue(round, metric) !== null);
  if (rounds.length === 0) return null;
  const title = `${metric === "accuracy" ? "Accuracy" : capitalize(metric)} per round`;
  const values = rounds.map((round) => globalValue(round, metric) as number);
  const spread = rounds.map((round) => spreadOf(round, metric));
  const numbers = rounds.map(({ round }) => round);
  const series = assignSeries(history);
  const named = series.filter(({ isNamed }) => isNamed);
  const scoreOf = (round: RoundHistory, id: string) => ownValue(round, id, metric);
  const summary = describe(metric, numbers, values);
  return {
    id: metric.replace(/[^A-Za-z0-9_-]/g, "_"),
    title,
    summary,
    svg: lineChart({
      title,
      summary,
      rounds: numbers,
      lines: [
        { name: "all", series: 1, isMain: true, isLabeled: true, values },
        ...chooseLines(series).map((one) => ({
          name: one.id,
          series: one.series,
          isLabeled: one.isNamed,
          values: rounds.map((round) => scoreOf(round, one.id)),
        })),
      ],
      band: spread,
      format: formatScore,
      bestIndex: metric === history.metric && history.best !== null ? indexOrNull(numbers, history.best.round) : null,
    }),
    table: {
      head: ["round", "all", "lowest", "highest", ...named.map(({ id }) => id)],
      rows: rounds.map((round, index) => [
        String(round.round),
        formatScore(values[index] as number),
        show(spread[index]?.min),
        show(spread[index]?.max),
        ...named.map(({ id }) => show(scoreOf(round, id))),
      ]),
    },
  };
}

function globalValue(round: RoundHistory, metric: string): number | null {
  return metric === "accuracy" ? round.accuracy : (round.metrics[metric] ?? null);
}

function ownValue(round: RoundHistory, id: string, metric: string): number | null {
  const own = ownRound(round, id)?.evaluate ?? null;
  return own === null ? null : evaluated(own, metric);
}

function evaluated(own: EvaluateHistory, metric: string): number | null {
  return metric === "accuracy" ? own.accuracy : (own.metrics[metric] ?? null);
}

function spreadOf(round: RoundHistory, metric: string): { min: number; max: number } | null {
  const values = round.participants.flatMap(({ evaluate }) => {
    const value = evaluate === null ? null : evaluated(evaluate, metric);
    return value === null ? [] : [value];
  });
  return values.length === 0 ? null : extremes(values);
}

function describe(metric: string, rounds: readonly number[], values: readonly number[]): string {
  const [first, last] = [values[0] as number, values.at(-1) as number];
  if (values.length === 1) return `${capitalize(metric)} ${formatScore(first)} in round ${rounds[0]}.`;
  return `${capitalize(metric)} went from ${formatScore(first)} in round ${rounds[0]} to ${formatScore(last)} in round ${rounds.at(-1)}.`;
}

const capitalize = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);
const show = (value: number | null | undefined) => (value === null || value === undefined ? "–" : formatScore(value));

function indexOrNull(numbers: readonly number[], wanted: number): number | null {
  const index = numbers.indexOf(wanted);
  return index < 0 ? null : index;
}
