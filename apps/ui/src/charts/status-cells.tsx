import { type CellState, cellState, describeCells, type StatusCell } from "./cell-state.ts";
import { hourColumn } from "./chart-column.ts";

interface StatusCellsProps {
  readonly cells: readonly StatusCell[];
  /** Label for the time range of the cells, for example "Last 24 hours". */
  readonly label: string;
  /**
   * `row`: two pixels per cell, in a table. `hub`: one pixel, for crowded rows. `hours`: six pixels, for 24 cells.
   * `wide`: fills the available width.
   */
  readonly size?: "row" | "hub" | "hours" | "wide";
  readonly zone?: string;
}

const THICKNESS = { row: 2, hub: 1, hours: 6, wide: 2 };
/** Sizes that are large enough to read as a status, so healthy cells are green. Elsewhere, only problems have color. */
const colored: readonly string[] = ["hours", "wide"];

const look: Readonly<Record<CellState, { readonly height: number; readonly fill: string }>> = {
  none: { height: 0.2, fill: "fill-axis" },
  ok: { height: 1, fill: "fill-axis" },
  degraded: { height: 0.62, fill: "fill-warning" },
  down: { height: 0.3, fill: "fill-danger" },
};

/** Row of time cells. A full-height cell is healthy, a shorter cell had failed requests, and a stub had no requests. */
export function StatusCells({ cells, label, size = "row", zone = "UTC" }: StatusCellsProps) {
  const isWide = size === "wide";
  const height = isWide ? 24 : 16;
  const thickness = THICKNESS[size];
  const gap = size === "hours" ? 2 : 1;
  const words = describeCells(cells, label);
  const width = cells.length * (thickness + gap) - gap;
  return (
    <svg
      role="img"
      aria-label={words}
      {...(!isWide && { viewBox: `0 0 ${Math.max(1, width)} ${height}` })}
      width={isWide ? "100%" : width}
      height={height}
      preserveAspectRatio="none"
      className="block forced-color-adjust-none"
    >
      {cells.map((cell, index) => {
        const state = cellState(cell);
        const { height: share, fill } = look[state];
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its position in time
            key={index}
            x={isWide ? `${(index / cells.length) * 100}%` : index * (thickness + gap)}
            y={height * (1 - share)}
            width={isWide ? `${wideShare(cells.length)}%` : thickness}
            height={height * share}
            className={state === "ok" && colored.includes(size) ? "fill-success" : fill}
          >
            <title>{cellText(cell, zone)}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** Returns the width of a cell in percent. The fewer cells there are, the smaller the gap's share of the width. */
function wideShare(count: number): number {
  return (100 / count) * (count > 48 ? 0.7 : 0.88);
}

function cellText(cell: StatusCell, zone: string): string {
  const when = cell.at === undefined ? "" : `${hourColumn(new Date(cell.at), zone).long}: `;
  return `${when}${cell.requests} requests, ${cell.failed} failed`;
}
