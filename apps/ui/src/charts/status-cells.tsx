import { type CellState, cellState, describeCells, type StatusCell } from "./cell-state.ts";
import { hourColumn } from "./chart-column.ts";

interface StatusCellsProps {
  readonly cells: readonly StatusCell[];
  /** What the cells are of: Last 24 hours. */
  readonly label: string;
  /** `row`: two pixels a cell, in a table. `wide`: as wide as its place. */
  readonly size?: "row" | "wide";
  readonly zone?: string;
  /** Of a row, where there is not enough room for two pixels a cell. */
  readonly width?: number;
}

const look: Readonly<Record<CellState, { readonly height: number; readonly fill: string }>> = {
  none: { height: 0.2, fill: "fill-axis" },
  ok: { height: 1, fill: "fill-axis" },
  degraded: { height: 0.62, fill: "fill-warning" },
  down: { height: 0.3, fill: "fill-danger" },
};

/** A strip of time cells: full height is well, shorter is trouble, a stub is no traffic. */
export function StatusCells({ cells, label, size = "row", zone = "UTC", width: wanted }: StatusCellsProps) {
  const height = size === "row" ? 16 : 24;
  const words = describeCells(cells, label);
  const width = cells.length * 3 - 1;
  return (
    <svg
      role="img"
      aria-label={words}
      viewBox={`0 0 ${Math.max(1, width)} ${height}`}
      width={size === "row" ? (wanted ?? width) : "100%"}
      height={height}
      preserveAspectRatio="none"
      className="block forced-color-adjust-none"
    >
      {cells.map((cell, index) => {
        const { height: share, fill } = look[cellState(cell)];
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the place in time is what a cell is
            key={index}
            x={index * 3}
            y={height * (1 - share)}
            width={2}
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

function cellText(cell: StatusCell, zone: string): string {
  const when = cell.at === undefined ? "" : `${hourColumn(new Date(cell.at), zone).long}: `;
  return `${when}${cell.requests} requests, ${cell.errors} errors`;
}
