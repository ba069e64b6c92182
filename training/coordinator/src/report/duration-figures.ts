import type { RunHistory } from "../run-history.ts";
import { assignSeries } from "./assign-series.ts";
import { extremes } from "./extremes.ts";
import type { Figure } from "./figure.ts";
import { formatDuration } from "./format-figure.ts";
import { lineChart } from "./line-chart.ts";
import { ownRound } from "./own-round.ts";
import { type Span, spanChart } from "./span-chart.ts";

/** Chart of round durations and each participant's training time. */
export function durationFigure(history: RunHistory): Figure | null {
  const rounds = history.rounds.filter(({ durationMs }) => durationMs !== null);
  if (rounds.length === 0) return null;
  const whole = rounds.map(({ durationMs }) => durationMs as number);
  const { max } = extremes(whole);
  const longest = rounds[whole.indexOf(max)];
  const named = assignSeries(history).filter(({ isNamed }) => isNamed);
  const trainedIn = (id: string) => rounds.map((round) => ownRound(round, id)?.train?.durationMs ?? null);
  const summary = `The median round took ${formatDuration(median(whole))}. The longest was round ${longest?.round} with ${formatDuration(max)}.`;
  const title = "Time per round";
  return {
    id: "durations",
    title,
    summary,
    svg: lineChart({
      title,
      summary,
      rounds: rounds.map(({ round }) => round),
      lines: [
        { name: "whole round", series: 1, isMain: true, isLabeled: true, values: whole },
        ...named.map(({ id, series }) => ({ name: id, series, isLabeled: true, values: trainedIn(id) })),
      ],
      band: rounds.map(() => null),
      format: formatDuration,
      fromZero: true,
      bestIndex: null,
    }),
    table: {
      head: ["round", "whole round", ...named.map(({ id }) => `${id} training`)],
      rows: rounds.map((round, index) => [
        String(round.round),
        formatDuration(whole[index] as number),
        ...named.map(({ id }) => {
          const value = ownRound(round, id)?.train?.durationMs ?? null;
          return value === null ? "–" : formatDuration(value);
        }),
      ]),
    },
  };
}

const MAX_SPANS = 40;

/**
 * Chart of stragglers: each participant's fastest, median, and slowest training, and how often the participant was last
 * or late.
 */
export function stragglerFigure(history: RunHistory): Figure | null {
  const lasts = history.rounds.map(slowestOf);
  const spans = assignSeries(history).flatMap(({ id, series }): Span[] => {
    const times = history.rounds.flatMap((round) => ownRound(round, id)?.train?.durationMs ?? []);
    if (times.length === 0) return [];
    const late = countRounds(history, id, (state) => state === "late");
    const slowest = lasts.filter((last) => last === id).length;
    const notes = [slowest > 0 ? `slowest ${slowest}×` : "", late > 0 ? `late ${late}×` : ""].filter(
      (note) => note !== "",
    );
    const { min, max } = extremes(times);
    return [{ name: id, series, min, median: median(times), max, note: notes.join(", ") }];
  });
  if (spans.length === 0) return null;
  const sorted = spans.toSorted((a, b) => b.median - a.median).slice(0, MAX_SPANS);
  const [first] = sorted as [Span];
  const summary = `${first.name} takes the longest: ${formatDuration(first.median)} median, ${formatDuration(first.max)} maximum.`;
  const title = "Training time per participant";
  return {
    id: "stragglers",
    title,
    summary,
    svg: spanChart(title, summary, sorted),
    table: {
      head: ["participant", "quickest", "middle", "slowest", "notes"],
      rows: sorted.map(({ name, min, median: middle, max, note }) => [
        name,
        formatDuration(min),
        formatDuration(middle),
        formatDuration(max),
        note || "–",
      ]),
    },
  };
}

function slowestOf({ participants }: RunHistory["rounds"][number]): string | null {
  const trained = participants.filter(({ train }) => train !== null);
  if (trained.length < 2) return null;
  return trained.reduce((a, b) => ((b.train?.durationMs ?? 0) > (a.train?.durationMs ?? 0) ? b : a)).id;
}

function countRounds(history: RunHistory, id: string, matches: (state: string) => boolean): number {
  return history.rounds.filter((round) => matches(ownRound(round, id)?.state ?? "")).length;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
