import type { ChartColumn } from "./chart-column.ts";
import { areaPath, linePath } from "./line-path.ts";
import { niceScale } from "./nice-scale.ts";
import { Plot } from "./plot.tsx";
import type { Geometry } from "./plot-geometry.ts";
import { spreadLabels } from "./spread-labels.ts";

export interface ChartLine {
  readonly key: string;
  readonly label: string;
  /** One value per column; null leaves a gap. */
  readonly values: readonly (number | null)[];
  readonly dash: "solid" | "dashed" | "dotted";
  /** Line color; defaults to the blue used in charts. */
  readonly color?: string;
}

interface ChartBand {
  readonly label: string;
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

interface LineChartProps {
  readonly columns: readonly ChartColumn[];
  readonly lines: readonly ChartLine[];
  /** Range from the lowest to the highest value, drawn faintly behind the lines. */
  readonly band?: ChartBand | undefined;
  /** Events to mark, by column key. */
  readonly marks?: readonly { readonly column: string; readonly text: string }[];
  readonly label: string;
  readonly format: (value: number) => string;
  readonly formatTick?: (value: number) => string;
  readonly height?: number;
  readonly gridLines?: number;
  /** Start of the axis; zero by default. `lowest` starts slightly below the lowest value. */
  readonly from?: number | "lowest";
  /** Minimum upper end of the axis. */
  readonly to?: number;
  /** Labels at the end of the lines: names, last values, or no labels. */
  readonly endLabels?: "names" | "values" | "none";
  readonly onRange?: ((firstKey: string, lastKey: string) => void) | undefined;
}

const dashes = { solid: undefined, dashed: "6 3", dotted: "2 3" } as const;
const DEFAULT_COLOR = "var(--color-s-gen)";
/** Approximate width of a character in a mark label. */
const LETTER_PX = 6;

/** Line chart whose lines differ by stroke and are labeled at their ends. */
export function LineChart(props: LineChartProps) {
  const { columns, lines, band, marks = [], label, format, formatTick = format, height = 150, onRange } = props;
  const { endLabels = "names" } = props;
  const known = [...lines.flatMap(({ values }) => values), ...(band?.low ?? []), ...(band?.high ?? [])].filter(
    (value) => value !== null,
  );
  const lowest = props.from === "lowest" ? Math.min(...known, props.to ?? Number.POSITIVE_INFINITY) : (props.from ?? 0);
  const highest = Math.max(lowest, props.to ?? lowest, ...known);
  const keyOf = (index: number) => columns[index]?.key ?? "";
  const longest = endLabels === "names" ? Math.max(0, ...lines.map((line) => line.label.length)) : 0;
  return (
    <Plot
      columns={columns}
      scale={niceScale(highest, { lowest: Number.isFinite(lowest) ? lowest : 0, lines: props.gridLines ?? 2 })}
      formatTick={formatTick}
      height={height}
      label={label}
      kind="points"
      rightRoom={endLabels === "names" ? longest * 6.4 + 10 : 8}
      describeColumn={(index) => describe(props, index)}
      tip={(index) => <LineTip {...props} index={index} />}
      onRange={onRange === undefined ? undefined : (first, last) => onRange(keyOf(first), keyOf(last))}
    >
      {(place, active) => (
        <>
          {band !== undefined && (
            <path d={areaPath(band.low, band.high, place)} opacity={0.14} style={{ fill: DEFAULT_COLOR }} />
          )}
          {marks.map(({ column, text }, index) => {
            const xOf = (name: string) => place.x(columns.findIndex(({ key }) => key === name));
            const next = marks[index + 1];
            // If two marks are close, only the later mark shows its label.
            const isCrowded = next !== undefined && xOf(next.column) - xOf(column) < text.length * LETTER_PX + 8;
            return <Mark key={column + text} x={xOf(column)} text={text} place={place} isNamed={!isCrowded} />;
          })}
          {active !== null && (
            <line
              x1={place.x(active)}
              x2={place.x(active)}
              y1={place.top}
              y2={place.bottom}
              className="stroke-outline-soft"
            />
          )}
          {lines.map((line) => (
            <path
              key={line.key}
              d={linePath(line.values, place)}
              fill="none"
              strokeWidth={line.dash === "solid" ? 2 : 1.75}
              strokeLinejoin="round"
              strokeDasharray={dashes[line.dash]}
              style={{ stroke: line.color ?? DEFAULT_COLOR }}
            />
          ))}
          {lines.map((line) => (
            <LonePoints key={line.key} line={line} place={place} />
          ))}
          {lines.map((line) => (
            <EndPoint
              key={line.key}
              line={line}
              place={place}
              index={active}
              hasValue={endLabels === "values"}
              format={format}
            />
          ))}
          {endLabels === "names" && <EndNames lines={lines} place={place} />}
        </>
      )}
    </Plot>
  );
}

/** Draws values without neighbors as points, because a line needs two values. */
function LonePoints({ line, place }: { readonly line: ChartLine; readonly place: Geometry }) {
  const { values } = line;
  return values.map((value, index) =>
    value === null || (values[index - 1] ?? null) !== null || (values[index + 1] ?? null) !== null ? null : (
      <circle
        // biome-ignore lint/suspicious/noArrayIndexKey: a point is identified by its position in time
        key={index}
        cx={place.x(index)}
        cy={place.y(value)}
        r={2.5}
        style={{ fill: line.color ?? DEFAULT_COLOR }}
      />
    ),
  );
}

interface EndPointProps {
  readonly line: ChartLine;
  readonly place: Geometry;
  /** Index of the active column; null for the last column with a value. */
  readonly index: number | null;
  readonly hasValue: boolean;
  readonly format: (value: number) => string;
}

function EndPoint({ line, place, index, hasValue, format }: EndPointProps) {
  const last = line.values.findLastIndex((value) => value !== null);
  const at = index ?? (hasValue ? last : -1);
  const value = line.values[at];
  if (value === undefined || value === null) return null;
  const [x, y] = [place.x(at), place.y(value)];
  return (
    <>
      <circle
        cx={x}
        cy={y}
        r={3}
        strokeWidth={1.5}
        className="stroke-surface"
        style={{ fill: line.color ?? DEFAULT_COLOR }}
      />
      {hasValue && at === last && index === null && (
        <text x={x} y={y + 24 > place.bottom ? y - 10 : y + 24} textAnchor="end" className="fill-text font-medium">
          {format(value)}
        </text>
      )}
    </>
  );
}

function EndNames({ lines, place }: { readonly lines: readonly ChartLine[]; readonly place: Geometry }) {
  const ends = lines.flatMap(({ key, label, values }) => {
    const value = values.findLast((each) => each !== null);
    return value === undefined || value === null ? [] : [{ key, label, y: place.y(value) + 4 }];
  });
  const spread = spreadLabels(
    ends.map(({ y }) => y),
    { gap: 13, top: place.top + 4, bottom: place.bottom + 4 },
  );
  return ends.map(({ key, label }, index) => (
    <text key={key} x={place.right + 8} y={spread[index]} className="fill-text font-medium">
      {label}
    </text>
  ));
}

interface MarkProps {
  readonly x: number;
  readonly text: string;
  readonly place: Geometry;
  readonly isNamed: boolean;
}

function Mark({ x, text, place, isNamed }: MarkProps) {
  const isLate = x > (place.left + place.right) / 2;
  return (
    <>
      <line x1={x} x2={x} y1={place.top} y2={place.bottom} strokeDasharray="2 3" className="stroke-outline">
        <title>{text}</title>
      </line>
      <text x={isLate ? x - 6 : x + 6} y={place.top + 10} textAnchor={isLate ? "end" : "start"}>
        {isNamed && text}
      </text>
    </>
  );
}

function LineTip({ columns, lines, band, format, index }: LineChartProps & { readonly index: number }) {
  return (
    <table className="border-collapse">
      <thead>
        <tr>
          <th colSpan={2} className="pb-1 text-left font-semibold">
            {columns[index]?.long}
          </th>
        </tr>
      </thead>
      <tbody>
        {rowsOf(lines, band, index, format).map(([name, text]) => (
          <tr key={name}>
            <td className="py-0.5">{name}</td>
            <td className="pl-4 text-right">{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function describe({ columns, lines, band, format }: LineChartProps, index: number): string {
  const parts = rowsOf(lines, band, index, format).map(([name, text]) => `${name} ${text}`);
  return `${columns[index]?.long}: ${parts.join(", ")}`;
}

function rowsOf(
  lines: readonly ChartLine[],
  band: ChartBand | undefined,
  index: number,
  format: (value: number) => string,
): readonly (readonly [string, string])[] {
  const text = (value: number | null | undefined) => (value === undefined || value === null ? "None" : format(value));
  const rows = lines.map(({ label, values }) => [label, text(values[index])] as const);
  if (band === undefined) return rows;
  return [...rows, [band.label, `${text(band.low[index])} to ${text(band.high[index])}`]];
}
