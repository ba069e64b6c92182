import { drawChart, drawFrame, PLOT, round, roundScale, shorten, valueScale } from "./chart-frame.ts";
import { escapeMarkup } from "./escape-markup.ts";
import { formatShare } from "./format-figure.ts";

interface ShareChart {
  readonly title: string;
  readonly summary: string;
  readonly rounds: readonly number[];
  /** Parts of each bar, from bottom to top. `values` contains the share per round, from 0 to 1. */
  readonly parts: readonly { readonly name: string; readonly series: number; readonly values: readonly number[] }[];
}

const MAX_BAR = 44;

/** Draws each member's share per round as stacked bars. */
export function shareChart({ title, summary, rounds, parts }: ShareChart): string {
  const scale = valueScale([0, 1], { fromZero: true });
  const width = Math.max(0.8, Math.min(MAX_BAR, ((PLOT.right - PLOT.left) / Math.max(1, rounds.length)) * 0.7));
  const x = roundScale(rounds.length, 8 + width / 2);
  const bars = rounds.flatMap((number, index) => {
    let below = 0;
    return parts.map(({ name, series, values }) => {
      const value = values[index] ?? 0;
      const top = scale.place(below + value);
      const height = scale.place(below) - top;
      below += value;
      if (value === 0) return "";
      return `<rect class="${width > 4 ? "bar " : ""}f${series}" x="${round(x(index) - width / 2)}" y="${round(top)}" width="${round(width)}" height="${round(height)}"><title>${escapeMarkup(`${name}, round ${number}: ${formatShare(value)}`)}</title></rect>`;
    });
  });
  const legend = parts.map(({ name, series }, index) => {
    // Names are in bar order, so that each one is next to its segment.
    const y = PLOT.bottom - 12 - index * 20;
    return `<rect class="f${series}" x="${PLOT.right + 10}" y="${y - 9}" width="12" height="12" rx="2"/><text x="${PLOT.right + 28}" y="${y + 1}">${escapeMarkup(shorten(name))}</text>`;
  });
  const percent = (value: number) => `${Math.round(value * 100)} %`;
  return drawChart(title, summary, drawFrame(scale, percent, rounds, x) + bars.join("") + legend.join(""));
}
