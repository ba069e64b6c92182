import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { useState } from "react";
import { durationTick, usdTick } from "../../charts/axis-labels.ts";
import { countedColumns } from "../../charts/chart-column.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { plainUsd } from "../../charts/csv.ts";
import { Histogram } from "../../charts/histogram.tsx";
import { LineChart } from "../../charts/line-chart.tsx";
import { lineTable, summarizeLines } from "../../charts/line-table.ts";
import { ShareBar } from "../../charts/share-bar.tsx";
import { Sparkline } from "../../charts/sparkline.tsx";
import { StackLegend } from "../../charts/stack-legend.tsx";
import { stackTable, summarizeStack } from "../../charts/stack-series.ts";
import { StackedBars } from "../../charts/stacked-bars.tsx";
import { StatusCells } from "../../charts/status-cells.tsx";
import { Panel } from "../../components/panel.tsx";
import { sampleColors, sampleColumns, sampleLatency, samplePrevious, sampleStack } from "./sample-usage.ts";

const percentiles = [
  { key: "p99", label: "p99", values: sampleLatency.p99, dash: "dotted" },
  { key: "p95", label: "p95", values: sampleLatency.p95, dash: "dashed" },
  { key: "p50", label: "p50", values: sampleLatency.p50, dash: "solid" },
] as const;

const rounds = countedColumns(24, "Round");
const accuracy = rounds.map((_, index) => (index < 17 ? 0.93 - 0.52 * Math.exp(-index / 4.2) : null));
const spread = accuracy.map((value, index) => (value === null ? null : 0.02 + 0.14 * Math.exp(-index / 4)));
const band = {
  label: "Lowest to highest",
  low: accuracy.map((value, index) => (value === null ? null : value - (spread[index] ?? 0))),
  high: accuracy.map((value, index) => (value === null ? null : value + (spread[index] ?? 0) / 2)),
};
const four = (value: number): string => value.toFixed(4);

const buckets = Array.from({ length: 60 }, (_, minute) => ({
  at: new Date(Date.UTC(2026, 10, 12, 13, 5 + minute)).toISOString(),
  succeeded: 10 + ((minute * 7) % 9),
  failed: minute > 43 && minute < 48 ? 3 : 0,
  refused: minute % 11 === 4 ? 1 : 0,
  rejected: minute % 13 === 5 ? 1 : 0,
  canceled: 0,
}));

const cells = Array.from({ length: 96 }, (_, index) => {
  const requests = index > 60 && index < 66 ? 0 : 40;
  const failed = index === 30 || index === 31 ? 5 : index === 32 ? 28 : 0;
  const at = new Date(Date.UTC(2026, 10, 11, 14, index * 15)).toISOString();
  return { at, requests, succeeded: requests - failed, failed };
});

/** Samples of all charts. */
export function ChartSample() {
  const [range, setRange] = useState("To select a range, drag across the bars or press Shift and an arrow key.");
  return (
    <>
      <ChartFrame
        title="Spend by day"
        note="by model, USD"
        zone="UTC"
        fileName="spend-by-day"
        summary={summarizeStack(sampleStack, "Spend by day", formatMoney)}
        table={stackTable(sampleStack, "Day", formatMoney)}
        csv={stackTable(sampleStack, "Day", plainUsd, "key")}
      >
        <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_232px]">
          <StackedBars
            stack={sampleStack}
            colorOf={sampleColors}
            label="Spend by day"
            format={formatMoney}
            formatTick={usdTick}
            previous={samplePrevious}
            previousLabel="Previous 14 days"
            isLastOpen
            onRange={(first, last) => setRange(`Selected: ${first} to ${last}.`)}
          />
          <StackLegend
            stack={sampleStack}
            colorOf={sampleColors}
            format={formatMoney}
            totalLabel="14 days"
            previousLabel="previous 14 days"
          />
        </div>
        <p className="mt-2 text-meta text-muted" role="status">
          {range}
        </p>
      </ChartFrame>
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_372px]">
        <ChartFrame
          title="Accuracy by round"
          note="line: weighted mean, band: lowest to highest participant"
          fileName="accuracy-by-round"
          summary={summarizeLines(rounds, [{ label: "Accuracy", values: accuracy }], "Accuracy by round", four)}
          table={lineTable(rounds, [{ label: "Accuracy", values: accuracy }], "Round", four)}
        >
          <LineChart
            columns={rounds}
            lines={[{ key: "accuracy", label: "Accuracy", values: accuracy, dash: "solid" }]}
            band={band}
            marks={[
              { column: "10", text: "lab-zurich failed" },
              { column: "18", text: "round 18 running" },
            ]}
            label="Accuracy by round"
            format={four}
            formatTick={(value) => value.toFixed(1)}
            height={268}
            gridLines={4}
            from="lowest"
            to={1}
            endLabels="values"
          />
        </ChartFrame>
        <ChartFrame
          title="Time to first token"
          zone="UTC"
          fileName="first-token"
          isCompact
          summary={summarizeLines(sampleColumns, percentiles, "Time to first token", formatDuration)}
          table={lineTable(sampleColumns, percentiles, "Day", formatDuration)}
        >
          <LineChart
            columns={sampleColumns}
            lines={percentiles}
            label="Time to first token"
            format={formatDuration}
            formatTick={durationTick}
          />
        </ChartFrame>
      </div>
      <Panel>
        <Histogram
          bucketMinutes={1}
          buckets={buckets}
          zone="UTC"
          onRange={(from, to) => setRange(`Selected: ${from.toISOString()} to ${to.toISOString()}.`)}
        />
      </Panel>
      <Panel title="Inline charts" note="sparkline, share, status cells">
        <div className="grid gap-3 text-table">
          {sampleStack.series.slice(0, 3).map(({ key, label, values, total }) => (
            <div key={key} className="flex flex-wrap items-center gap-4">
              <span className="w-44 truncate">{label}</span>
              <Sparkline values={values} kind="bars" color={sampleColors(key)} width={84} />
              <Sparkline values={values} />
              <Sparkline values={values} kind="area" />
              <ShareBar share={Number((total * 1_000n) / sampleStack.total) / 1_000} color={sampleColors(key)} />
              <StatusCells cells={cells.slice(20, 44)} label="Last 24 hours" />
            </div>
          ))}
          <StatusCells cells={cells} label="Last 24 hours" size="wide" />
        </div>
      </Panel>
    </>
  );
}
