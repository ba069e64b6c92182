import type { ChartColumn } from "./chart-column.ts";
import type { Scale } from "./nice-scale.ts";

/** Pixel positions of a chart's elements. */
export interface Geometry {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Width of a column. */
  readonly band: number;
  /** Center of a column. */
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
  /** Returns the column at a position, or the nearest column if the position is outside the chart. */
  readonly columnAt: (x: number) => number;
}

interface GeometryInput {
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly scale: Scale;
  /** Longest label beside the axis. */
  readonly gutterText: string;
  readonly rightRoom: number;
  /** `points` for lines, which span from edge to edge; `bands` for bars, which are centered in their columns. */
  readonly kind: "bands" | "points";
}

const TOP = 8;
const AXIS_ROOM = 22;
const DIGIT_WIDTH = 6.4;

/** Computes the layout of a chart for the available space. */
export function layOut({ width, height, count, scale, gutterText, rightRoom, kind }: GeometryInput): Geometry {
  const left = gutterText === "" ? 0 : Math.max(24, Math.ceil(gutterText.length * DIGIT_WIDTH) + 8);
  const right = Math.max(left + 1, width - rightRoom);
  const bottom = height - AXIS_ROOM;
  const steps = kind === "bands" ? count : Math.max(1, count - 1);
  const band = (right - left) / Math.max(1, steps);
  const offset = kind === "bands" ? band / 2 : 0;
  const span = scale.max - scale.min;
  return {
    left,
    right,
    top: TOP,
    bottom,
    band,
    x: (index) => left + offset + index * band,
    y: (value) => bottom - ((value - scale.min) / span) * (bottom - TOP),
    columnAt: (x) => Math.min(count - 1, Math.max(0, Math.round((x - left - offset) / band))),
  };
}

interface ColumnLabel {
  readonly index: number;
  readonly text: string;
}

/**
 * Returns as many axis labels as fit, in the longest form that fits. The first and last label of a line chart are
 * aligned inward, which puts them half their width closer to their neighbors.
 */
export function columnLabels(
  columns: readonly ChartColumn[],
  band: number,
  kind: "bands" | "points" = "bands",
): readonly ColumnLabel[] {
  const room = kind === "points" ? 1.5 : 1;
  const widthOf = (texts: readonly string[]) =>
    Math.max(0, ...texts.map(({ length }) => length)) * DIGIT_WIDTH * room + 8;
  const short = columns.map((column) => column.short);
  const tiny = columns.map((column) => column.tiny);
  const texts = widthOf(short) <= band || columns.length * band < 1 ? short : widthOf(tiny) <= band ? tiny : short;
  const every = Math.max(1, Math.ceil(widthOf(texts) / Math.max(1, band)));
  return texts.flatMap((text, index) => (index % every === 0 ? [{ index, text }] : []));
}
