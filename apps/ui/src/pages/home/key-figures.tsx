import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { errorRate } from "@tollgate/domain/figures/request-class.ts";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { dayColumns, hourColumns } from "../../charts/chart-column.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { Figures } from "../../components/figure-row.tsx";
import { weightedMedian } from "./weighted-median.ts";

type Report = Operations["getUsage"]["answer"];
type Performance = Operations["getPerformance"]["answer"]["performance"];

interface KeyFiguresProps {
  readonly report: Report;
  readonly performance: Performance;
  readonly grouping: "day" | "hour";
  readonly rangeLabel: string;
}

/** Spend, requests, success rate, and speed, compared with the previous period. */
export function KeyFigures({ report, grouping, performance, rangeLabel }: KeyFiguresProps) {
  const { totals, previous } = report;
  const before = previous?.totals;
  const columns = byColumn(report, grouping);
  const versus = `vs previous ${rangeLabel.replace(/^Last /, "").toLowerCase()}`;
  const success = successRate(totals);
  const successBefore = before === undefined ? null : successRate(before);
  const failedText = success === null ? "in this period" : `${formatCount(totals.failed)} failed`;
  const firstToken = weightedMedian(
    performance.flatMap(({ medianFirstTokenMs, requests }) =>
      medianFirstTokenMs === null ? [] : [{ value: medianFirstTokenMs, weight: requests }],
    ),
  );
  return (
    <Figures
      items={[
        {
          label: "Spend",
          value: formatMoney(totals.cost),
          ...against(changeOf(Number(totals.cost), before === undefined ? 0 : Number(before.cost)), versus),
          spark: sparkOf(columns.map(({ cost }) => cost)),
        },
        {
          label: "Requests",
          value: formatCount(totals.requests),
          ...against(changeOf(totals.requests, before?.requests ?? 0), versus),
          spark: sparkOf(columns.map(({ requests }) => requests)),
        },
        {
          label: "Success rate",
          value: success === null ? "No requests" : formatShare(success, 2),
          note:
            success === null || successBefore === null
              ? failedText
              : `${success >= successBefore ? "↑" : "↓"} ${(Math.abs(success - successBefore) * 100).toFixed(2)} points ${versus}`,
          spark: success === null ? null : sparkOf(columns.map((sums) => successRate(sums) ?? 1)),
        },
        {
          label: "Median time to first token",
          value: firstToken === null ? "No streams" : formatDuration(firstToken),
          note: "based on recent requests per model",
        },
      ]}
    />
  );
}

/** Returns the sparkline for a metric; null if all values are zero. */
function sparkOf(values: readonly (number | bigint)[]) {
  return values.some((value) => value > 0) ? <Sparkline values={values} /> : null;
}

function successRate(counts: { readonly succeeded: number; readonly failed: number }): number | null {
  const rate = errorRate(counts);
  return rate === null ? null : 1 - rate;
}

/** Returns a change with its reference period, or a note if there is no previous data. */
function against(change: number | null, versus: string) {
  return change === null ? { note: "no data for the previous period" } : { change, note: versus };
}

function changeOf(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / before;
}

/** Returns every column in the range, including columns without requests. */
function byColumn({ data, meta }: Report, grouping: "day" | "hour") {
  const columnsOf = grouping === "day" ? dayColumns : hourColumns;
  const columns = new Map(
    columnsOf(meta.startDate, meta.endDate, meta.timezone).map(({ key }) => [
      key,
      { cost: 0n, requests: 0, succeeded: 0, failed: 0 },
    ]),
  );
  for (const { group, cost, requests, succeeded, failed } of data) {
    const key = group.day ?? group.hour ?? "";
    const sums = columns.get(key) ?? { cost: 0n, requests: 0, succeeded: 0, failed: 0 };
    columns.set(key, {
      cost: sums.cost + cost,
      requests: sums.requests + requests,
      succeeded: sums.succeeded + succeeded,
      failed: sums.failed + failed,
    });
  }
  return [...columns.values()];
}
