import { addCounts, errorRate } from "@tollgate/domain/figures/request-class.ts";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import { shareTick } from "../../charts/axis-labels.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { LineChart } from "../../charts/line-chart.tsx";
import { lineTable, summarizeLines } from "../../charts/line-table.ts";
import { Segmented } from "../../components/segmented.tsx";
import { KindBars } from "./kind-bars.tsx";
import { columnOf, type UsageRow } from "./usage-view.ts";
import type { Usage } from "./use-usage.ts";

export type ErrorView = "count" | "rate";

interface ErrorChartProps {
  readonly usage: Usage;
  readonly view: ErrorView;
  readonly onView: (view: ErrorView) => void;
}

const kinds = [
  { key: "rejected", label: "Rejected", color: "var(--color-c2)" },
  { key: "refused", label: "Refused", color: "var(--color-c5)" },
  { key: "failed", label: "Failed", color: "var(--color-c7)" },
] as const;

/** Unsuccessful requests over time: failed, refused, and rejected as counts, or the error rate. */
export function ErrorChart({ usage, view, onView }: ErrorChartProps) {
  const { report, grouping, columns } = usage;
  const { totals } = report;
  const said =
    totals.errorRate === null
      ? "No requests succeeded or failed in this range"
      : `${formatCount(totals.failed)} of ${formatCount(totals.succeeded + totals.failed)} failed, ${formatShare(totals.errorRate, 2)}`;
  const title = view === "count" ? "Errors by class" : "Error rate";
  const actions = (
    <Segmented
      label="Error view"
      value={view}
      options={[
        { value: "count", label: "Count" },
        { value: "rate", label: "Rate" },
      ]}
      onValue={onView}
    />
  );
  if (view === "rate") {
    const head = grouping === "day" ? "Day" : "Hour";
    const rates = ratesOf(report.data);
    const lines = [
      { key: "rate", label: "Rate", values: columns.map(({ key }) => rates.get(key) ?? null), dash: "solid" },
    ] as const;
    const text = (value: number) => formatShare(value, 2);
    return (
      <ChartFrame
        title={title}
        zone={report.meta.timezone}
        actions={actions}
        isCompact
        summary={summarizeLines(columns, lines, title, text)}
        table={lineTable(columns, lines, head, text)}
        csv={lineTable(columns, lines, head, String, "key")}
        fileName={`error-rate-by-${grouping}`}
      >
        <LineChart
          columns={columns}
          lines={lines.map((line) => ({ ...line, color: "var(--color-c7)" }))}
          label={title}
          format={text}
          formatTick={shareTick}
          height={160}
          endLabels="values"
        />
        <p className="mt-2 text-meta text-muted">{said}</p>
      </ChartFrame>
    );
  }
  return (
    <KindBars
      usage={usage}
      title={title}
      fileName="errors"
      kinds={kinds}
      counts={report.data.flatMap((row) => [
        { column: columnOf(row), kind: "failed", count: row.failed },
        { column: columnOf(row), kind: "refused", count: row.refused },
        { column: columnOf(row), kind: "rejected", count: row.rejected },
      ])}
      actions={actions}
    >
      <p className="mt-1 text-meta text-muted">{said}</p>
    </KindBars>
  );
}

/** Returns the error rate of each column, over all of its rows. */
function ratesOf(rows: readonly UsageRow[]): ReadonlyMap<string, number | null> {
  return new Map([...Map.groupBy(rows, columnOf)].map(([column, own]) => [column, errorRate(addCounts(own))]));
}
