import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import { shareTick } from "../../charts/axis-labels.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { LineChart } from "../../charts/line-chart.tsx";
import { lineTable, summarizeLines } from "../../charts/line-table.ts";
import { Money } from "../../components/money.tsx";
import { columnOf } from "./usage-view.ts";
import type { Usage } from "./use-usage.ts";

/** Share of input tokens read from a cache, over time, and the money that caches saved. */
export function CacheChart({ usage }: { readonly usage: Usage }) {
  const { report, grouping, columns } = usage;
  const { totals } = report;
  const rates = new Map(report.data.map((row) => [columnOf(row), row.cacheHitRate]));
  const lines = [
    {
      key: "cached",
      label: "Cached share",
      values: columns.map(({ key }) => rates.get(key) ?? null),
      dash: "solid",
      color: "var(--color-c6)",
    },
  ] as const;
  const head = grouping === "day" ? "Day" : "Hour";
  return (
    <ChartFrame
      title="Cache hit rate"
      note={totals.cacheHitRate === null ? "no input" : formatShare(totals.cacheHitRate)}
      zone={report.meta.timezone}
      summary={summarizeLines(columns, lines, "Cache hit rate", formatShare)}
      table={lineTable(columns, lines, head, formatShare)}
      csv={lineTable(columns, lines, head, String, "key")}
      fileName={`cache-hit-rate-by-${grouping}`}
      isCompact
    >
      <LineChart
        columns={columns}
        lines={lines}
        label="Cache hit rate"
        format={formatShare}
        formatTick={shareTick}
        height={160}
        to={1}
        endLabels="values"
      />
      <p className="mt-2 text-meta text-muted">
        {formatCount(totals.cachedTokens)} of {formatCount(totals.promptTokens)} input tokens came from a cache.{" "}
        {totals.cacheSaved < 0n ? (
          <>
            Writing to caches cost <Money nano={-totals.cacheSaved} /> more than they saved.
          </>
        ) : (
          <>
            Caches saved <Money nano={totals.cacheSaved} />.
          </>
        )}
      </p>
    </ChartFrame>
  );
}
