import { linePath } from "./line-path.ts";

interface SparklineProps {
  readonly values: readonly (number | bigint)[];
  readonly kind?: "line" | "bars" | "area";
  /** Color of the entity on this page; defaults to the text color. */
  readonly color?: string;
  readonly width?: number;
  readonly height?: number;
}

/** Trend line the size of a word. It has no axis, so callers show a value beside it. */
export function Sparkline({
  values,
  kind = "line",
  color = "var(--color-text)",
  width = 70,
  height = 16,
}: SparklineProps) {
  const sizes = values.map(Number);
  const highest = Math.max(...sizes, 0);
  const lowest = kind === "bars" ? 0 : Math.min(...sizes, highest);
  const span = highest - lowest || 1;
  const step = width / Math.max(1, kind === "bars" ? sizes.length : sizes.length - 1);
  const y = (value: number) => height - 1 - ((value - lowest) / span) * (height - 2);
  const line = linePath(sizes, { x: (index) => index * step, y });
  return (
    <svg
      width={width}
      height={height}
      aria-hidden="true"
      className="block shrink-0 overflow-visible forced-color-adjust-none"
    >
      {kind === "bars" &&
        sizes.map((value, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its position in time
            key={index}
            x={index * step}
            y={Math.min(height - 1, y(value))}
            width={Math.max(1, step - 1)}
            height={Math.max(1, height - y(value))}
            style={{ fill: color }}
          />
        ))}
      {kind === "area" && <path d={`${line}L${width} ${height}L0 ${height}Z`} className="fill-sunken" />}
      {kind !== "bars" && sizes.length > 1 && (
        <path d={line} fill="none" strokeWidth={1.25} strokeLinejoin="round" style={{ stroke: color }} />
      )}
    </svg>
  );
}
