import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { ReactNode } from "react";
import { countTick } from "../../charts/axis-labels.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { LegendRow } from "../../charts/stack-legend.tsx";
import { stackRows, stackTable, summarizeStack } from "../../charts/stack-series.ts";
import { StackedBars } from "../../charts/stacked-bars.tsx";
import type { Usage } from "./use-usage.ts";

/** A category of counted items, with a fixed color. */
interface Kind {
  readonly key: string;
  readonly label: string;
  readonly color: string;
}

interface KindBarsProps {
  readonly usage: Usage;
  readonly title: string;
  /** File name prefix before the grouping, such as `tokens`. */
  readonly fileName: string;
  /** Categories from the bottom of a bar to the top. */
  readonly kinds: readonly Kind[];
  readonly counts: readonly { readonly column: string; readonly kind: string; readonly count: number }[];
  readonly hasTotal?: boolean;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** Small chart of counts by category over time. */
export function KindBars({ usage, title, fileName, kinds, counts, hasTotal = false, ...rest }: KindBarsProps) {
  const { report, grouping, columns } = usage;
  const head = grouping === "day" ? "Day" : "Hour";
  const stack = stackRows({
    columns,
    rows: counts,
    columnOf: ({ column }) => column,
    seriesOf: ({ kind }) => kind,
    valueOf: ({ count }) => count,
    labelOf: (key) => kinds.find((kind) => kind.key === key)?.label ?? key,
    order: kinds.map(({ key }) => key),
  });
  const text = (value: bigint) => formatCount(Number(value));
  return (
    <ChartFrame
      title={title}
      {...(hasTotal && { note: `${text(stack.total)} in total` })}
      zone={report.meta.timezone}
      summary={summarizeStack(stack, title, text)}
      table={stackTable(stack, head, text)}
      csv={stackTable(stack, head, String, "key")}
      fileName={`${fileName}-by-${grouping}`}
      actions={rest.actions}
      isCompact
    >
      <StackedBars
        stack={stack}
        colorOf={(key) => kinds.find((kind) => kind.key === key)?.color ?? ""}
        label={title}
        format={text}
        formatTick={countTick}
        height={160}
        lines={2}
      />
      <LegendRow entries={kinds} />
      {rest.children}
    </ChartFrame>
  );
}
