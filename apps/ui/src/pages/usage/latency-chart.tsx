import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { durationTick } from "../../charts/axis-labels.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { LineChart } from "../../charts/line-chart.tsx";
import { lineTable, summarizeLines } from "../../charts/line-table.ts";
import { LatencySwitch, type LatencyView } from "./latency-switch.tsx";
import { columnOf } from "./usage-view.ts";
import type { Usage } from "./use-usage.ts";

interface LatencyChartProps {
  readonly usage: Usage;
  readonly onView: (view: LatencyView) => void;
}

/** Request latency: median, 95th, and 99th percentile. */
export function LatencyChart({ usage, onView }: LatencyChartProps) {
  const { report, grouping, columns } = usage;
  const rows = new Map(report.data.map((row) => [columnOf(row), row]));
  const valuesOf = (name: "p50LatencyMs" | "p95LatencyMs" | "p99LatencyMs") =>
    columns.map(({ key }) => rows.get(key)?.[name] ?? null);
  const lines = [
    { key: "p99", label: "p99", values: valuesOf("p99LatencyMs"), dash: "dotted" },
    { key: "p95", label: "p95", values: valuesOf("p95LatencyMs"), dash: "dashed" },
    { key: "p50", label: "p50", values: valuesOf("p50LatencyMs"), dash: "solid" },
  ] as const;
  const head = grouping === "day" ? "Day" : "Hour";
  return (
    <ChartFrame
      title="Duration"
      zone={report.meta.timezone}
      summary={summarizeLines(columns, lines, "Request duration", formatDuration)}
      table={lineTable(columns, lines, head, formatDuration)}
      csv={lineTable(columns, lines, head, String, "key")}
      fileName={`duration-by-${grouping}`}
      isCompact
      actions={<LatencySwitch view="total" onView={onView} />}
    >
      <LineChart
        columns={columns}
        lines={lines}
        label="Request duration"
        format={formatDuration}
        formatTick={durationTick}
        height={160}
      />
      <p className="mt-2 text-meta text-muted">
        {report.totals.p50LatencyMs === null
          ? "No requests in this range"
          : `50% within ${formatDuration(report.totals.p50LatencyMs)}, 95% within ${formatDuration(report.totals.p95LatencyMs ?? 0)}`}
      </p>
    </ChartFrame>
  );
}
