import { formatShare } from "@tollgate/domain/figures/size-text.ts";
import { ArrowDown, ArrowRight, ArrowUp } from "lucide-react";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import type { ColorOf } from "../../charts/series-colors.ts";
import { StackLegend } from "../../charts/stack-legend.tsx";
import { type Stack, stackRows, stackTable, summarizeStack } from "../../charts/stack-series.ts";
import { StackedBars } from "../../charts/stacked-bars.tsx";
import { ButtonLink } from "../../components/button.tsx";
import { plural } from "../../format/plural.ts";
import { type MeasureFormat, measureFormat } from "./measure-format.ts";
import { columnOf, dimensions, type Measure, measureOf, measures } from "./usage-view.ts";
import type { Names } from "./use-names.ts";
import type { Usage } from "./use-usage.ts";

const HOUR_MS = 3_600_000;

interface MeasureChartProps {
  readonly usage: Usage;
  readonly measure: Measure;
  readonly names: Names;
  readonly colorOf: ColorOf;
  /** Previous period, if compared. */
  readonly previous: Usage | null;
  readonly previousLabel: string;
  /** Called with the selected range in URL format. */
  readonly onRange: (range: string) => void;
}

/** The chosen measure over time, stacked by dimension, with its total. */
export function MeasureChart(props: MeasureChartProps) {
  const { usage, measure, names, colorOf, previous, previousLabel } = props;
  const { report, grouping, dimension, columns } = usage;
  const stack = stackRows({
    columns,
    rows: report.data,
    columnOf,
    seriesOf: (row) => names.entityOf(dimension, row),
    valueOf: (row) => measureOf(measure, row),
    labelOf: (key) => names.nameOf(dimension, key),
  });
  const before = previous === null ? null : stackAll(previous, measure);
  // Draw no ticks if the previous period has no data.
  const ticks = before === null || before.total === 0n ? null : before.totals;
  const format = measureFormat(measure, stack.total);
  const measureLabel = measures.find(({ value }) => value === measure)?.label ?? "";
  const title = `${measureLabel} by ${grouping}`;
  const dimensionLabel = dimensions.find(({ value }) => value === dimension)?.label.toLowerCase();
  const head = grouping === "day" ? "Day" : "Hour";
  const isOpen = new Date(report.meta.endDate).getTime() > Date.now();
  return (
    <ChartFrame
      title={title}
      note={[dimension === "none" ? "total" : `by ${dimensionLabel}`, measure === "spend" ? "USD" : ""]
        .filter(Boolean)
        .join(", ")}
      zone={report.meta.timezone}
      summary={summarizeStack(stack, title, format.text)}
      table={stackTable(stack, head, format.text)}
      csv={stackTable(stack, head, format.plain, "key")}
      fileName={`${measure}-by-${grouping}`}
    >
      <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_232px]">
        {stack.total === 0n ? (
          <NoMeasure measure={measure} requests={report.totals.requests} />
        ) : (
          <StackedBars
            stack={stack}
            colorOf={colorOf}
            label={title}
            format={format.text}
            formatTick={format.tick}
            previous={ticks === null ? undefined : columns.map((_, index) => ticks[index] ?? null)}
            previousLabel={previousLabel}
            isLastOpen={isOpen}
            onRange={(first, last) => props.onRange(rangeBetween(grouping, first, last))}
          />
        )}
        <div className="min-w-0">
          <Headline stack={stack} before={before} format={format} grouping={grouping} />
          <StackLegend
            stack={stack}
            colorOf={colorOf}
            format={format.text}
            previousLabel={ticks === null ? undefined : previousLabel}
          />
        </div>
      </div>
    </ChartFrame>
  );
}

/** Shown instead of bars if all values are zero. */
function NoMeasure({ measure, requests }: { readonly measure: Measure; readonly requests: number }) {
  const calls = plural(requests, "request");
  return (
    <div className="grid min-h-40 place-content-center justify-items-center gap-2 text-center text-table text-muted">
      {measure === "spend" ? `No charges: ${calls} at no cost.` : `No ${measure} in ${calls}.`}
      {measure === "spend" && (
        <ButtonLink to="." search={(before: object) => ({ ...before, measure: "requests" })} size="sm">
          Show requests
        </ButtonLink>
      )}
    </div>
  );
}

interface HeadlineProps {
  readonly grouping: "day" | "hour";
  readonly stack: Stack;
  readonly before: Stack | null;
  readonly format: MeasureFormat;
}

function Headline({ stack, before, format, grouping }: HeadlineProps) {
  const [first, last] = [stack.columns[0], stack.columns.at(-1)];
  const form = grouping === "day" ? "short" : "long";
  return (
    <div className="mb-3">
      <p className="text-meta text-muted">{first === last ? first?.long : `${first?.[form]} to ${last?.[form]}`}</p>
      <p className="text-figure font-semibold tracking-[-0.015em]">{format.text(stack.total)}</p>
      {before !== null && <Change now={stack.total} before={before.total} format={format} />}
    </div>
  );
}

interface ChangeProps {
  readonly now: bigint;
  readonly before: bigint;
  readonly format: MeasureFormat;
}

function Change({ now, before, format }: ChangeProps) {
  if (before === 0n) return <p className="text-meta text-muted">No data for the previous period</p>;
  const share = Number(now - before) / Number(before);
  const Arrow = now === before ? ArrowRight : now > before ? ArrowUp : ArrowDown;
  return (
    <p className="flex items-center gap-1 text-meta text-muted">
      <Arrow size={12} aria-hidden />
      <span className="sr-only">{now > before ? "up" : now < before ? "down" : "unchanged"}</span>
      {formatShare(Math.abs(share))} from {format.text(before)}
    </p>
  );
}

function stackAll({ report, columns }: Usage, measure: Measure): Stack {
  return stackRows({
    columns,
    rows: report.data,
    columnOf,
    seriesOf: () => "all",
    valueOf: (row) => measureOf(measure, row),
  });
}

/** Returns the range from the first to the last column, inclusive. Hours are identified by their start. */
function rangeBetween(grouping: "day" | "hour", first: string, last: string): string {
  return `${first}..${grouping === "day" ? last : new Date(Date.parse(last) + HOUR_MS).toISOString()}`;
}
