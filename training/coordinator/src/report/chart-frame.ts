import { escapeMarkup } from "./escape-markup.ts";
import { extremes } from "./extremes.ts";

export const WIDTH = 720;
const HEIGHT = 270;
/** Plot area, with margins for values on the left, names on the right, and training rounds below. */
export const PLOT = { left: 56, right: 600, top: 16, bottom: 236 } as const;

const TICKS = 5;
const MAX_ROUND_LABELS = 12;

interface Scale {
  readonly ticks: readonly number[];
  place(value: number): number;
}

/** Maps values to heights. The scale starts and ends at rounded values that enclose all data. */
export function valueScale(values: readonly number[], options: { fromZero?: boolean } = {}): Scale {
  let { min: low, max: high } = values.length === 0 ? { min: 0, max: 1 } : extremes(values);
  if (options.fromZero) low = Math.min(0, low);
  if (low === high)
    [low, high] = [low - Math.max(0.05, Math.abs(low) * 0.05), high + Math.max(0.05, Math.abs(high) * 0.05)];
  const step = niceStep((high - low) / (TICKS - 1));
  const first = Math.floor(low / step + 1e-9) * step;
  const ticks: number[] = [];
  for (let index = 0; ticks.length === 0 || (ticks.at(-1) as number) < high - step * 1e-9; index += 1) {
    ticks.push(Number((first + index * step).toPrecision(12)));
  }
  const last = ticks.at(-1) as number;
  return {
    ticks,
    place: (value) => PLOT.bottom - ((value - first) / (last - first)) * (PLOT.bottom - PLOT.top),
  };
}

/** Maps indexes to x positions, `inset` from both ends. A single index is centered. */
export function roundScale(count: number, inset = 14): (index: number) => number {
  const width = PLOT.right - PLOT.left - 2 * inset;
  return (index) => PLOT.left + inset + (count > 1 ? (index / (count - 1)) * width : width / 2);
}

/** Draws the grid, the values, and the numbers of the training rounds. */
export function drawFrame(
  scale: Scale,
  format: (value: number) => string,
  rounds: readonly number[],
  placeRound: (index: number) => number,
): string {
  const grid = scale.ticks.map((tick) => {
    const y = round(scale.place(tick));
    return `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y}" y2="${y}"/><text x="${PLOT.left - 8}" y="${round(y + 4)}" text-anchor="end">${escapeMarkup(format(tick))}</text>`;
  });
  const every = Math.ceil(rounds.length / MAX_ROUND_LABELS);
  const labels = rounds.map((number, index) =>
    index % every === 0
      ? `<text x="${round(placeRound(index))}" y="${PLOT.bottom + 18}" text-anchor="middle">${number}</text>`
      : "",
  );
  const axis = `<line class="axis" x1="${PLOT.left}" x2="${PLOT.right}" y1="${PLOT.bottom}" y2="${PLOT.bottom}"/><text x="${PLOT.right + 10}" y="${PLOT.bottom + 18}">round</text>`;
  return grid.join("") + axis + labels.join("");
}

/** Wraps a chart in an SVG with an accessible label. */
export function drawChart(title: string, summary: string, content: string, height: number = HEIGHT): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeMarkup(`${title}. ${summary}`)}"><title>${escapeMarkup(title)}</title>${content}</svg>`;
}

interface EndLabel {
  readonly y: number;
  readonly text: string;
  readonly series: number;
  readonly isStrong?: boolean;
}

const LABEL_GAP = 15;

/** Draws names at the right end of their lines, moved apart where they would overlap. */
export function drawEndLabels(labels: readonly EndLabel[]): string {
  const sorted = labels.toSorted((a, b) => a.y - b.y);
  const places = sorted.map(({ y }) => y);
  for (let index = 1; index < places.length; index += 1) {
    places[index] = Math.max(places[index] as number, (places[index - 1] as number) + LABEL_GAP);
  }
  let limit: number = PLOT.bottom;
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index] as number, limit);
    limit = (places[index] as number) - LABEL_GAP;
  }
  return sorted
    .map(({ text, series, isStrong }, index) => {
      const y = round(places[index] as number);
      const x = PLOT.right + 10;
      return `<line class="line c${series}${isStrong ? " main" : ""}" x1="${x}" x2="${x + 18}" y1="${y}" y2="${y}"/><text${isStrong ? ' class="strong"' : ""} x="${x + 24}" y="${round(y + 4)}">${escapeMarkup(shorten(text))}</text>`;
    })
    .join("");
}

/** Shortens a name to fit the chart. The data table shows the full name. */
export function shorten(text: string): string {
  const letters = [...text];
  return letters.length > 12 ? `${letters.slice(0, 11).join("")}…` : text;
}

/** Rounds to tenths of a pixel. */
export const round = (value: number): number => Math.round(value * 10) / 10;

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const leading = rough / power;
  return power * (leading <= 1 ? 1 : leading <= 2 ? 2 : leading <= 2.5 ? 2.5 : leading <= 5 ? 5 : 10);
}
