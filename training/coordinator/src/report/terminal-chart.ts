import type { RunHistory } from "../run-history.ts";
import { extremes } from "./extremes.ts";
import { formatScore } from "./format-figure.ts";

const HEIGHT = 12;
const MAX_COLUMNS = 72;

/** Draws accuracy per round as text: a point per round, with the participants' spread as a line behind it. */
export function terminalChart(history: RunHistory): string {
  const scored = history.rounds.filter(({ accuracy }) => accuracy !== null);
  if (scored.length === 0) return "  No rounds have been evaluated yet.\n";
  const every = Math.ceil(scored.length / MAX_COLUMNS);
  // Always include the last round.
  const shown = scored.filter((_, index) => (scored.length - 1 - index) % every === 0);
  const values = shown.flatMap(({ accuracy, min, max }) => [
    accuracy as number,
    min ?? (accuracy as number),
    max ?? (accuracy as number),
  ]);
  let { min: low, max: high } = extremes(values);
  if (low === high) [low, high] = [low - 0.05, high + 0.05];
  const row = (value: number) => Math.round(((high - value) / (high - low)) * (HEIGHT - 1));
  const step = shown.length > MAX_COLUMNS / 3 ? 1 : 3;
  const lines = Array.from({ length: HEIGHT }, (_, index) => {
    const label =
      index % 3 === 0 || index === HEIGHT - 1 ? formatScore(high - ((high - low) * index) / (HEIGHT - 1)) : "";
    const cells = shown.map(({ accuracy, min, max }) => {
      if (row(accuracy as number) === index) return "●";
      return min !== null && max !== null && row(max) <= index && index <= row(min) ? "│" : " ";
    });
    return `  ${label.padStart(9)} ┤ ${cells.join(" ".repeat(step - 1))}`.trimEnd();
  });
  const first = String(shown[0]?.round);
  const last = String(shown.at(-1)?.round);
  const width = (shown.length - 1) * step + 1;
  const foot = `${" ".repeat(14)}${first}${shown.length > 1 ? last.padStart(Math.max(last.length + 1, width - first.length + last.length - 1)) : ""}   round`;
  return `${[`  accuracy per round   ● overall   │ lowest to highest participant`, "", ...lines, foot].join("\n")}\n`;
}
