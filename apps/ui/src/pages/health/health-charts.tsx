import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useMemo } from "react";
import { countTick, shareTick } from "../../charts/axis-labels.ts";
import { type Bar, BarList } from "../../charts/bar-list.tsx";
import { hourColumn } from "../../charts/chart-column.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { LineChart } from "../../charts/line-chart.tsx";
import { lineTable, summarizeLines } from "../../charts/line-table.ts";
import { LegendRow } from "../../charts/stack-legend.tsx";
import { stackRows, stackTable, summarizeStack } from "../../charts/stack-series.ts";
import { StackedBars } from "../../charts/stacked-bars.tsx";
import { errorRates, type Hour, hoursOf, oncePerProvider } from "./hours-of.ts";

type Deployment = Operations["getDeploymentHealth"]["answer"]["deployments"][number];

interface HealthChartsProps {
  readonly deployments: readonly Deployment[];
  readonly zone: string;
}

const HEIGHT = 140;
/** Bars of the latency chart. The table view has all models. */
const SHOWN = 6;

/** What the models did in the last 24 hours: requests, error rate, and latency. */
export function HealthCharts({ deployments, zone }: HealthChartsProps) {
  const counted = useMemo(() => oncePerProvider(deployments), [deployments]);
  const hours = useMemo(() => hoursOf(counted), [counted]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-sm:gap-3 lg:grid-cols-3">
      <RequestsChart hours={hours} zone={zone} />
      <ErrorRateChart hours={hours} zone={zone} />
      <LatencyChart deployments={counted} />
    </div>
  );
}

const outcomes = [
  { key: "succeeded", label: "Succeeded", color: "var(--color-axis)" },
  { key: "failed", label: "Failed", color: "var(--color-danger)" },
] as const;

function RequestsChart({ hours, zone }: { readonly hours: readonly Hour[]; readonly zone: string }) {
  const stack = stackRows({
    columns: hours.map(({ at }) => hourColumn(new Date(at), zone)),
    rows: hours.flatMap((hour) => outcomes.map(({ key }) => ({ at: hour.at, key, count: hour[key] }))),
    columnOf: ({ at }) => at,
    seriesOf: ({ key }) => key,
    valueOf: ({ count }) => count,
    labelOf: (key) => outcomes.find((each) => each.key === key)?.label ?? key,
    order: outcomes.map(({ key }) => key),
  });
  const text = (value: bigint) => formatCount(Number(value));
  return (
    <ChartFrame
      title="Requests"
      note="by hour"
      zone={zone}
      summary={summarizeStack(stack, "Requests", text)}
      table={stackTable(stack, "Hour", text)}
      csv={stackTable(stack, "Hour", String, "key")}
      fileName="health-requests"
      isCompact
    >
      <StackedBars
        stack={stack}
        colorOf={(key) => outcomes.find((each) => each.key === key)?.color ?? ""}
        label="Requests by hour"
        format={text}
        formatTick={countTick}
        height={HEIGHT}
        lines={2}
      />
      <LegendRow entries={outcomes} />
    </ChartFrame>
  );
}

function ErrorRateChart({ hours, zone }: { readonly hours: readonly Hour[]; readonly zone: string }) {
  const columns = hours.map(({ at }) => hourColumn(new Date(at), zone));
  const lines = [
    { key: "rate", label: "Error rate", values: errorRates(hours), dash: "solid", color: "var(--color-danger)" },
  ] as const;
  const text = (share: number) => formatShare(share, 2);
  return (
    <ChartFrame
      title="Error rate"
      note="by hour"
      zone={zone}
      summary={summarizeLines(columns, lines, "Error rate", text)}
      table={lineTable(columns, lines, "Hour", text)}
      csv={lineTable(columns, lines, "Hour", String, "key")}
      fileName="health-error-rate"
      isCompact
    >
      <LineChart
        columns={columns}
        lines={lines}
        label="Error rate by hour"
        format={text}
        formatTick={shareTick}
        height={HEIGHT}
        endLabels="values"
      />
      <p className="mt-2 text-meta text-muted">Failed requests as a share of those that succeeded or failed</p>
    </ChartFrame>
  );
}

function LatencyChart({ deployments }: { readonly deployments: readonly Deployment[] }) {
  const bars = deployments
    .flatMap(({ group, provider, p95LatencyMs: value }): Bar[] =>
      value === null
        ? []
        : [
            {
              key: `${group} ${provider}`,
              label: `${group} (${provider})`,
              value,
              color: "var(--color-s-gen)",
            },
          ],
    )
    .toSorted((one, other) => other.value - one.value);
  const table = { head: ["Model", "p95"], rows: bars.map(({ label, value }) => [label, formatDuration(value)]) };
  const rest = bars.length - SHOWN;
  return (
    <ChartFrame
      title="Slowest models"
      note="95th percentile"
      summary={
        bars.length === 0
          ? "Slowest models: no requests in the last 24 hours."
          : `Slowest models: ${bars.map(({ label, value }) => `${label} ${formatDuration(value)}`).join(", ")}`
      }
      table={table}
      csv={{ ...table, rows: bars.map(({ label, value }) => [label, String(value)]) }}
      fileName="health-latency"
      isCompact
    >
      {bars.length === 0 ? (
        <p className="py-4 text-table text-muted">No requests in the last 24 hours.</p>
      ) : (
        <BarList bars={bars.slice(0, SHOWN)} format={formatDuration} />
      )}
      {rest > 0 && <p className="mt-2 text-meta text-muted">{rest} more in the table view</p>}
    </ChartFrame>
  );
}
