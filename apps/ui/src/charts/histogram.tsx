import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { useMemo } from "react";
import { type ChartColumn, dayColumn, hourColumn, localDay } from "./chart-column.ts";
import { stackRows } from "./stack-series.ts";
import { StackedBars } from "./stacked-bars.tsx";
import { Swatch } from "./swatch.tsx";

interface HistogramBucket {
  readonly at: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly refused: number;
  readonly rejected: number;
  readonly canceled: number;
}

interface HistogramProps {
  readonly bucketMinutes: number;
  readonly buckets: readonly HistogramBucket[];
  readonly zone: string;
  /** Called with the start and end time of the selected bars. */
  readonly onRange?: (from: Date, to: Date) => void;
}

const parts = [
  { key: "succeeded", label: "Succeeded", color: "var(--color-axis)" },
  { key: "canceled", label: "Canceled", color: "var(--color-c2)" },
  { key: "rejected", label: "Rejected", color: "var(--color-c5)" },
  { key: "refused", label: "Refused", color: "var(--color-warning)" },
  { key: "failed", label: "Failed", color: "var(--color-danger)" },
] as const;

const colorOf = (key: string): string => parts.find((part) => part.key === key)?.color ?? "var(--color-axis)";

/** Number of requests over time, by outcome. Selecting bars sets the time range. */
export function Histogram({ bucketMinutes, buckets, zone, onRange }: HistogramProps) {
  const stack = useMemo(() => {
    const rows = buckets.flatMap((bucket) =>
      parts.map(({ key }) => ({ at: bucket.at, part: key, count: bucket[key] })),
    );
    return stackRows({
      columns: buckets.map(({ at }) => barColumn(at, bucketMinutes, zone)),
      rows,
      columnOf: ({ at }) => at,
      seriesOf: ({ part }) => part,
      valueOf: ({ count }) => count,
      labelOf: (key) => parts.find((part) => part.key === key)?.label ?? key,
      order: parts.map(({ key }) => key),
    });
  }, [buckets, bucketMinutes, zone]);
  const label = `Requests per ${bucketText(bucketMinutes)}`;
  const choose = (first: string, last: string) =>
    onRange?.(new Date(first), new Date(new Date(last).getTime() + bucketMinutes * 60_000));
  return (
    <figure>
      <figcaption className="flex flex-wrap items-center gap-x-3.5 gap-y-1 pb-1 text-meta text-muted">
        <span className="mr-auto">
          {label}, {zone}
        </span>
        {stack.series.map(({ key, label: name, total }) => (
          <span key={key} className="inline-flex items-center gap-1.5">
            <Swatch color={colorOf(key)} />
            {name} {formatCount(Number(total))}
          </span>
        ))}
      </figcaption>
      <StackedBars
        stack={stack}
        colorOf={colorOf}
        label={label}
        format={(value) => formatCount(Number(value))}
        formatTick={String}
        height={72}
        hideTicks
        fill={0.9}
        onRange={onRange === undefined ? undefined : choose}
      />
    </figure>
  );
}

/** Returns the column for a bar, labeled with the bar's time, or with its day if bars span many hours. */
function barColumn(at: string, bucketMinutes: number, zone: string): ChartColumn {
  const column = { ...hourColumn(new Date(at), zone), key: at };
  const short = bucketMinutes < DAY_NAMES_FROM ? column.short : dayColumn(localDay(new Date(at), zone)).short;
  return { ...column, short, tiny: short };
}

const DAY_NAMES_FROM = 120;

function bucketText(minutes: number): string {
  if (minutes === 1) return "minute";
  if (minutes < 60) return `${minutes} minutes`;
  if (minutes === 60) return "hour";
  return minutes === 1_440 ? "day" : `${Math.round(minutes / 60)} hours`;
}
