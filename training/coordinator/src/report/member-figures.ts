import type { RunHistory, TrainHistory } from "../run-history.ts";
import { assignSeries, chooseLines } from "./assign-series.ts";
import { extremes } from "./extremes.ts";
import type { Figure } from "./figure.ts";
import { formatScore, formatShare } from "./format-figure.ts";
import { lineChart } from "./line-chart.ts";
import { ownRound } from "./own-round.ts";
import { shareChart } from "./share-chart.ts";

/** Chart of each participant's share in the aggregate, per round. */
export function shareFigure(history: RunHistory): Figure | null {
  const rounds = history.rounds.filter(({ participants }) =>
    participants.some(({ train }) => (train?.share ?? null) !== null),
  );
  if (rounds.length === 0) return null;
  const series = assignSeries(history);
  const named = series.filter(({ isNamed }) => isNamed);
  const others = series.filter(({ isNamed }) => !isNamed);
  const shareOf = (id: string) => rounds.map((round) => trainOf(round, id)?.share ?? 0);
  const parts = named.map(({ id, series: number }) => ({ name: id, series: number, values: shareOf(id) }));
  if (others.length > 0) {
    const sums = rounds.map((round) => others.reduce((sum, { id }) => sum + (trainOf(round, id)?.share ?? 0), 0));
    parts.push({ name: `${others.length} others`, series: 8, values: sums });
  }
  const { max: largest } = extremes(
    rounds.flatMap(({ participants }) => participants.map(({ train }) => train?.share ?? 0)),
  );
  const summary = `The largest share of a single participant in any round is ${formatShare(largest)}.`;
  const title = "Weight share per round";
  return {
    id: "weight-share",
    title,
    summary,
    svg: shareChart({ title, summary, rounds: rounds.map(({ round }) => round), parts }),
    table: {
      head: ["round", ...parts.map(({ name }) => name)],
      rows: rounds.map((round, index) => [
        String(round.round),
        ...parts.map(({ name, values }) => {
          const isCapped = trainOf(round, name)?.capped ?? false;
          return `${formatShare(values[index] as number)}${isCapped ? " (capped)" : ""}`;
        }),
      ]),
    },
  };
}

/** Chart of the distance between each participant's result and its starting parameters. */
export function updateNormFigure(history: RunHistory): Figure | null {
  const rounds = history.rounds.filter(({ participants }) =>
    participants.some(({ train }) => (train?.updateNorm ?? null) !== null),
  );
  if (rounds.length === 0) return null;
  const series = assignSeries(history);
  const named = series.filter(({ isNamed }) => isNamed);
  const norms = (id: string) => rounds.map((round) => trainOf(round, id)?.updateNorm ?? null);
  const { min, max } = extremes(
    rounds.flatMap(({ participants }) => participants.flatMap(({ train }) => train?.updateNorm ?? [])),
  );
  const summary = `Update norms range from ${formatScore(min)} to ${formatScore(max)}. Check any participant far above the others.`;
  const title = "Update norm per participant";
  return {
    id: "update-norms",
    title,
    summary,
    svg: lineChart({
      title,
      summary,
      rounds: rounds.map(({ round }) => round),
      lines: chooseLines(series).map(({ id, series: number, isNamed }) => ({
        name: id,
        series: number,
        isLabeled: isNamed,
        values: norms(id),
      })),
      band: rounds.map(() => null),
      format: formatScore,
      fromZero: true,
      bestIndex: null,
    }),
    table: {
      head: ["round", ...named.map(({ id }) => id)],
      rows: rounds.map((round) => [
        String(round.round),
        ...named.map(({ id }) => {
          const norm = trainOf(round, id)?.updateNorm ?? null;
          return norm === null ? "–" : formatScore(norm);
        }),
      ]),
    },
  };
}

function trainOf(round: RunHistory["rounds"][number], id: string): TrainHistory | null {
  return ownRound(round, id)?.train ?? null;
}
