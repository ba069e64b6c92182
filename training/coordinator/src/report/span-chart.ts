import { drawChart, round, shorten, WIDTH } from "./chart-frame.ts";
import { escapeMarkup } from "./escape-markup.ts";
import { formatDuration } from "./format-figure.ts";

export interface Span {
  readonly name: string;
  readonly series: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
  readonly note: string;
}

const ROW = 30;
const LEFT = 112;
const RIGHT = 520;

/** Draws a line per participant from its fastest to its slowest round, with the median marked, to reveal stragglers. */
export function spanChart(title: string, summary: string, spans: readonly Span[]): string {
  const longest = Math.max(1, ...spans.map(({ max }) => max));
  const x = (value: number) => round(LEFT + (value / longest) * (RIGHT - LEFT));
  const rows = spans.map(({ name, series, min, median, max, note }, index) => {
    const y = 22 + index * ROW;
    return (
      `<text x="${LEFT - 12}" y="${y + 4}" text-anchor="end">${escapeMarkup(shorten(name))}</text>` +
      `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${y}" y2="${y}"/>` +
      `<rect class="f${series} span" x="${x(min)}" y="${y - 5}" width="${round(Math.max(2, x(max) - x(min)))}" height="10" rx="3"/>` +
      `<rect class="f${series}" x="${round(x(median) - 1.5)}" y="${y - 9}" width="3" height="18"/>` +
      `<text x="${RIGHT + 14}" y="${y + 4}">${escapeMarkup(`${formatDuration(median)}${note === "" ? "" : ` · ${note}`}`)}</text>`
    );
  });
  const foot = 22 + spans.length * ROW;
  const scale = [0, longest / 2, longest].map(
    (value) => `<text x="${x(value)}" y="${foot + 8}" text-anchor="middle">${formatDuration(value)}</text>`,
  );
  return drawChart(title, summary, `<g>${rows.join("")}${scale.join("")}</g>`, Math.min(foot + 20, WIDTH * 4));
}
