import { Fragment, type ReactNode } from "react";
import type { ChartColumn } from "./chart-column.ts";
import type { Scale } from "./nice-scale.ts";
import { columnLabels, type Geometry, layOut } from "./plot-geometry.ts";
import { useActiveColumn } from "./use-active-column.ts";
import { useWidth } from "./use-width.ts";

interface PlotProps {
  readonly columns: readonly ChartColumn[];
  readonly scale: Scale;
  readonly formatTick: (value: number) => string;
  readonly height: number;
  /** Description of the chart for screen readers. */
  readonly label: string;
  readonly kind: "bands" | "points";
  /** Space for labels at the end of lines. */
  readonly rightRoom?: number;
  /** Shows only the zero line, for small charts with values beside them. */
  readonly hideTicks?: boolean;
  /** Describes the values of a column in words. */
  readonly describeColumn: (index: number) => string;
  readonly tip: (index: number) => ReactNode;
  readonly onRange?: ((first: number, last: number) => void) | undefined;
  readonly children: (geometry: Geometry, active: number | null) => ReactNode;
}

/**
 * Base of all charts: axis, grid, labels, a tooltip that follows the pointer and arrow keys, and range selection.
 * Screen readers see a slider over the columns, each with its values.
 */
export function Plot(props: PlotProps) {
  const { columns, scale, formatTick, height, label, kind, rightRoom = 0, hideTicks = false } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  const ticks = hideTicks ? [] : scale.ticks.map((value) => ({ value, text: formatTick(value) }));
  const gutterText = ticks.reduce((longest, { text }) => (text.length > longest.length ? text : longest), "");
  const place = layOut({ width, height, count: columns.length, scale, gutterText, rightRoom, kind });
  const { active, chosen, handlers } = useActiveColumn({
    count: columns.length,
    columnAt: place.columnAt,
    onRange: props.onRange,
  });
  if (columns.length === 0) return <p className="py-8 text-center text-table text-muted">No data in this range.</p>;
  const shown = active ?? columns.length - 1;
  const help =
    props.onRange === undefined ? "" : "; press Shift and arrow keys to select a range, then Enter to apply it";
  return (
    <div
      ref={ref}
      role="slider"
      tabIndex={0}
      aria-label={`${label}. Use arrow keys to move${help}`}
      aria-valuemin={1}
      aria-valuemax={columns.length}
      aria-valuenow={shown + 1}
      aria-valuetext={props.describeColumn(shown)}
      className={`relative min-w-0 touch-pan-y select-none ${props.onRange === undefined ? "" : "cursor-crosshair"}`}
      style={{ height }}
      {...handlers}
    >
      {width > 0 && (
        <svg
          width={width}
          height={height}
          aria-hidden="true"
          className="absolute top-0 left-0 block overflow-visible fill-muted text-[11px] forced-color-adjust-none"
        >
          {ticks.map(({ value, text }) => (
            <Fragment key={value}>
              <line
                x1={place.left}
                x2={place.right}
                y1={place.y(value)}
                y2={place.y(value)}
                shapeRendering="crispEdges"
                className={value === scale.min ? "stroke-axis" : "stroke-grid"}
              />
              <text x={place.left - 8} y={place.y(value) + 4} textAnchor="end">
                {text}
              </text>
            </Fragment>
          ))}
          {hideTicks && (
            <line x1={place.left} x2={place.right} y1={place.bottom} y2={place.bottom} className="stroke-axis" />
          )}
          {chosen === null && active !== null && kind === "bands" && (
            <Shade from={active} to={active} place={place} className="fill-sunken" />
          )}
          {chosen !== null && <Shade from={chosen[0]} to={chosen[1]} place={place} className="fill-accent-soft" />}
          {columnLabels(columns, place.band, kind).map(({ index, text }) => (
            <text key={index} x={place.x(index)} y={height - 4} textAnchor={anchorOf(kind, index, columns.length)}>
              {text}
            </text>
          ))}
          {props.children(place, active)}
        </svg>
      )}
      {width > 0 && active !== null && <Tip x={place.x(active)} width={width} content={props.tip(active)} />}
    </div>
  );
}

interface ShadeProps {
  readonly from: number;
  readonly to: number;
  readonly place: Geometry;
  readonly className: string;
}

function Shade({ from, to, place, className }: ShadeProps) {
  const x = place.x(from) - place.band / 2;
  const width = (to - from + 1) * place.band;
  return <rect x={x} y={place.top} width={width} height={place.bottom - place.top} className={className} />;
}

/** Width below which a tooltip doesn't fit beside the column. */
const NARROW = 440;

function Tip({ x, width, content }: { readonly x: number; readonly width: number; readonly content: ReactNode }) {
  const [left, shift] =
    width < NARROW ? [width / 2, "-translate-x-1/2"] : x > width / 2 ? [x - 16, "-translate-x-full"] : [x + 16, ""];
  return (
    <div
      aria-hidden="true"
      className={`pointer-events-none absolute top-1 z-10 rounded-control border border-border bg-raised px-2.5 py-2 text-meta whitespace-nowrap shadow-float ${shift}`}
      style={{ left }}
    >
      {content}
    </div>
  );
}

function anchorOf(kind: "bands" | "points", index: number, count: number): "start" | "middle" | "end" {
  if (kind === "bands" || count === 1) return "middle";
  if (index === 0) return "start";
  return index === count - 1 ? "end" : "middle";
}
