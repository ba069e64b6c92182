import { niceScale } from "./nice-scale.ts";
import { Plot } from "./plot.tsx";
import type { Geometry } from "./plot-geometry.ts";
import type { ColorOf } from "./series-colors.ts";
import type { Stack } from "./stack-series.ts";
import { StackTip } from "./stack-tip.tsx";

interface StackedBarsProps {
  readonly stack: Stack;
  readonly colorOf: ColorOf;
  /** Description of the chart for screen readers, such as `Spend by day`. */
  readonly label: string;
  readonly format: (value: bigint) => string;
  readonly formatTick: (value: number) => string;
  readonly height?: number;
  /** Number of grid lines: four to six, or two for small charts. */
  readonly lines?: number;
  /** Totals of the previous period, one per column, drawn as a tick across the bar. */
  readonly previous?: readonly (bigint | null)[] | undefined;
  readonly previousLabel?: string | undefined;
  /** True if the last column's period is still in progress. The column gets a dashed line on top. */
  readonly isLastOpen?: boolean;
  readonly hideTicks?: boolean;
  /** Share of the column width that a bar fills. */
  readonly fill?: number;
  /** Called with the keys of the first and last selected columns. */
  readonly onRange?: ((firstKey: string, lastKey: string) => void) | undefined;
}

/** Stacked bars over days or hours: largest series at the bottom, one pixel between series. */
export function StackedBars(props: StackedBarsProps) {
  const { stack, colorOf, label, format, formatTick, height = 300, lines = 5, previous, isLastOpen = false } = props;
  const { columns, totals } = stack;
  const highest = [...totals, ...(previous ?? [])].reduce<number>(
    (most, value) => Math.max(most, Number(value ?? 0n)),
    0,
  );
  const keyOf = (index: number) => columns[index]?.key ?? "";
  const { onRange } = props;
  return (
    <Plot
      columns={columns}
      scale={niceScale(highest, { lines })}
      formatTick={formatTick}
      height={height}
      label={label}
      kind="bands"
      hideTicks={props.hideTicks ?? false}
      describeColumn={(index) => describe(stack, index, format)}
      tip={(index) => (
        <StackTip
          stack={stack}
          index={index}
          colorOf={colorOf}
          format={format}
          isOpen={isLastOpen && index === columns.length - 1}
          previous={previous?.[index]}
          previousLabel={props.previousLabel}
        />
      )}
      onRange={onRange === undefined ? undefined : (first, last) => onRange(keyOf(first), keyOf(last))}
    >
      {(place) =>
        columns.map(({ key }, index) => {
          const width = Math.max(1, place.band * (props.fill ?? (place.band > 40 ? 0.58 : 0.66)));
          const x = place.x(index) - width / 2;
          const top = place.y(Number(totals[index] ?? 0n));
          const before = previous?.[index];
          return (
            <g key={key}>
              {piecesOf(stack, index, place).map(({ key: part, y, size }) => (
                <rect key={part} x={x} y={y} width={width} height={size} style={{ fill: colorOf(part) }} />
              ))}
              {isLastOpen && index === columns.length - 1 && (totals[index] ?? 0n) > 0n && (
                <line x1={x} x2={x + width} y1={top - 3} y2={top - 3} strokeDasharray="3 2" className="stroke-text" />
              )}
              {before !== undefined && before !== null && (
                <line
                  x1={x - place.band * 0.08}
                  x2={x + width + place.band * 0.08}
                  y1={place.y(Number(before))}
                  y2={place.y(Number(before))}
                  strokeWidth={1.5}
                  className="stroke-text"
                />
              )}
            </g>
          );
        })
      }
    </Plot>
  );
}

interface Piece {
  readonly key: string;
  readonly y: number;
  readonly size: number;
}

/** Returns the segments of one bar from the bottom up. */
function piecesOf({ series }: Stack, index: number, place: Geometry): readonly Piece[] {
  let below = 0n;
  return series.flatMap(({ key, values }) => {
    const value = values[index] ?? 0n;
    if (value <= 0n) return [];
    const from = place.y(Number(below));
    below += value;
    const to = place.y(Number(below));
    // Leave one pixel free under each segment, and keep the thinnest segment visible.
    return [{ key, y: to, size: Math.max(0.6, from - to - 1) }];
  });
}

function describe({ columns, series, totals }: Stack, index: number, format: (value: bigint) => string): string {
  const parts = series
    .filter(({ values }) => (values[index] ?? 0n) > 0n)
    .map(({ label, values }) => `${label} ${format(values[index] ?? 0n)}`);
  return [`${columns[index]?.long}: ${format(totals[index] ?? 0n)}`, ...(parts.length > 1 ? parts : [])].join(", ");
}
