import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { durationTick } from "../../charts/axis-labels.ts";
import { countedColumns } from "../../charts/chart-column.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { stackRows, stackTable, summarizeStack } from "../../charts/stack-series.ts";
import { StackedBars } from "../../charts/stacked-bars.tsx";
import type { Run } from "./run-status.tsx";

const format = (ms: bigint): string => formatDuration(Number(ms));

/** Duration of each round. */
export function DurationPanel({ run }: { readonly run: Run }) {
  const columns = countedColumns(Math.max(run.roundsTotal, 1), "Round");
  const stack = stackRows({
    columns,
    rows: run.rounds.filter(({ durationMs }) => durationMs !== null),
    columnOf: ({ round }) => String(round),
    seriesOf: () => "Round time",
    valueOf: ({ durationMs }) => BigInt(Math.round(durationMs ?? 0)),
  });
  return (
    <ChartFrame
      title="Round time"
      summary={summarizeStack(stack, "Round time", format)}
      table={stackTable(stack, "Round", format)}
      csv={stackTable(stack, "Round", String, "key")}
      fileName={`${run.name}-round-time`}
      isCompact
    >
      <StackedBars
        stack={stack}
        colorOf={() => "var(--color-c8)"}
        label="Round time"
        format={format}
        formatTick={durationTick}
        height={110}
        lines={2}
      />
    </ChartFrame>
  );
}
