import { shareTick } from "../../charts/axis-labels.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { LineChart } from "../../charts/line-chart.tsx";
import { lineTable, summarizeLines } from "../../charts/line-table.ts";
import { Segmented } from "../../components/segmented.tsx";
import { formatCount, formatShare } from "../../format/numbers.ts";
import { KindBars } from "./kind-bars.tsx";
import { columnOf } from "./usage-view.ts";
import type { Usage } from "./use-usage.ts";

export type ErrorView = "count" | "rate";

interface ErrorChartProps {
  readonly usage: Usage;
  readonly view: ErrorView;
  readonly onView: (view: ErrorView) => void;
}

const kinds = [
  { key: "refused", label: "Refused by a limit", color: "var(--color-c5)" },
  { key: "failed", label: "Failed at the provider", color: "var(--color-c7)" },
] as const;

/** Unsuccessful requests over time: failed and refused, as counts or as a share of all requests. */
export function ErrorChart({ usage, view, onView }: ErrorChartProps) {
  const { report, grouping, columns } = usage;
  const { totals } = report;
  const all = totals.errors + totals.refused;
  const asked = totals.requests + totals.refused;
  const said =
    asked === 0
      ? "No requests in this range"
      : `${formatCount(all)} of ${formatCount(asked)}, ${formatShare(all / asked, 2)}`;
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
    const rates = new Map(
      report.data.map((row) => [columnOf(row), shareOf(row.errors + row.refused, row.requests + row.refused)]),
    );
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
        isZoneBelow
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
        <p className="mt-2 text-meta text-muted">{said}, failed and refused combined</p>
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
        { column: columnOf(row), kind: "failed", count: row.errors },
        { column: columnOf(row), kind: "refused", count: row.refused },
      ])}
      actions={actions}
    >
      <p className="mt-1 text-meta text-muted">{said}</p>
    </KindBars>
  );
}

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
