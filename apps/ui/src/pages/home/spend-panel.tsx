import { formatMoneyColumn } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { countTick, usdTick } from "../../charts/axis-labels.ts";
import { dayColumns, hourColumns } from "../../charts/chart-column.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { plainUsd } from "../../charts/csv.ts";
import type { ColorOf } from "../../charts/series-colors.ts";
import { StackLegend } from "../../charts/stack-legend.tsx";
import { stackRows, stackTable, summarizeStack } from "../../charts/stack-series.ts";
import { StackedBars } from "../../charts/stacked-bars.tsx";
import { ButtonLink } from "../../components/button.tsx";

type Report = Operations["getUsage"]["answer"];

interface SpendPanelProps {
  readonly report: Report;
  readonly grouping: "day" | "hour";
  readonly colorOf: ColorOf;
  readonly zone: string;
  /** The range as it appears in the URL, and its label. */
  readonly range: string;
  readonly rangeLabel: string;
}

/** Spend over the range, stacked by model. Shows the number of requests if no request was charged. */
export function SpendPanel({ report, grouping, colorOf, zone, range, rangeLabel }: SpendPanelProps) {
  const { meta, totals } = report;
  const columnsOf = grouping === "day" ? dayColumns : hourColumns;
  const columns = columnsOf(meta.startDate, meta.endDate, zone);
  const isFree = totals.cost === 0n && totals.requests > 0;
  const stack = stackRows({
    columns,
    rows: report.data,
    columnOf: ({ group }) => group[grouping] ?? "",
    seriesOf: ({ group }) => group.model ?? "",
    valueOf: ({ cost, requests }) => (isFree ? requests : cost),
  });
  const format = isFree ? (value: bigint) => formatCount(Number(value)) : formatMoneyColumn([stack.total]);
  const title = `${isFree ? "Requests" : "Spend"} by ${grouping}`;
  const head = grouping === "day" ? "Day" : "Hour";
  const isOpen = new Date(meta.endDate).getTime() > Date.now() - 60_000;
  return (
    <ChartFrame
      title={title}
      note={isFree ? "by model, no charges" : "by model"}
      zone={zone}
      summary={summarizeStack(stack, title, format)}
      table={stackTable(stack, head, format)}
      csv={stackTable(stack, head, isFree ? String : plainUsd, "key")}
      fileName={`${isFree ? "requests" : "spend"}-by-${grouping}`}
      isCompact
      actions={
        <ButtonLink to="/usage" search={{ range, ...(isFree && { measure: "requests" }) }} variant="ghost" size="sm">
          Open in Usage
        </ButtonLink>
      }
    >
      {stack.total === 0n ? (
        <p className="py-6 text-table text-muted">No requests in this period.</p>
      ) : (
        <div className="grid items-start gap-6 sm:grid-cols-[minmax(0,1fr)_minmax(200px,240px)]">
          <StackedBars
            stack={stack}
            colorOf={colorOf}
            label={title}
            format={format}
            formatTick={isFree ? countTick : usdTick}
            height={296}
            isLastOpen={isOpen}
          />
          <div className="min-w-0">
            <StackLegend stack={stack} colorOf={colorOf} format={format} totalLabel={rangeLabel.replace("Last ", "")} />
            {isOpen && (stack.totals.at(-1) ?? 0n) > 0n && (
              <p className="mt-3 text-meta text-muted">Dashed top: {columns.at(-1)?.short} is still in progress.</p>
            )}
          </div>
        </div>
      )}
    </ChartFrame>
  );
}
