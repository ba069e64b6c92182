import { type CellState, cellState, describeCells, type StatusCell } from "./cell-state.ts";
import { hourColumn } from "./chart-column.ts";

interface StatusCellsProps {
  readonly cells: readonly StatusCell[];
  /** Label for the time range of the cells, for example "Last 24 hours". */
  readonly label: string;
  /** `row`: two pixels per cell, in a table. `hub`: one pixel, for crowded rows. `wide`: fills the available width. */
  readonly size?: "row" | "hub" | "wide";
  readonly zone?: string;
  /** Width of the row in pixels, for rows that are too narrow for two pixels per cell. */
  readonly width?: number;
}

const look: Readonly<Record<CellState, { readonly height: number; readonly fill: string }>> = {
  none: { height: 0.2, fill: "fill-axis" },
  ok: { height: 1, fill: "fill-axis" },
  degraded: { height: 0.62, fill: "fill-warning" },
  down: { height: 0.3, fill: "fill-danger" },
};

/** Row of time cells. A full-height cell is healthy, a shorter cell had errors, and a stub had no requests. */
export function StatusCells({ cells, label, size = "row", zone = "UTC", width: wanted }: StatusCellsProps) {
  const isWide = size === "wide";
  const height = isWide ? 24 : 16;
  const thickness = size === "hub" ? 1 : 2;
  const words = describeCells(cells, label);
  const width = cells.length * (thickness + 1) - 1;
  return (
    <svg
      role="img"
      aria-label={words}
      {...(!isWide && { viewBox: `0 0 ${Math.max(1, width)} ${height}` })}
      width={isWide ? "100%" : (wanted ?? width)}
      height={height}
      preserveAspectRatio="none"
      className="block forced-color-adjust-none"
    >
      {cells.map((cell, index) => {
        const { height: share, fill } = look[cellState(cell)];
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its position in time
            key={index}
            x={isWide ? `${(index / cells.length) * 100}%` : index * (thickness + 1)}
            y={height * (1 - share)}
            width={isWide ? `${wideShare(cells.length)}%` : thickness}
            height={height * share}
            className={fill}
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
  return `${when}${cell.requests} requests, ${cell.errors} errors`;
}
