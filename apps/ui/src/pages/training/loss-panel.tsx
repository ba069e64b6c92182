import { countedColumns } from "../../charts/chart-column.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { type ChartLine, LineChart } from "../../charts/line-chart.tsx";
import { lineTable, summarizeLines } from "../../charts/line-table.ts";
import { byRound } from "./by-round.ts";
import type { Run } from "./run-status.tsx";

const format = (value: number): string => String(Number(value.toPrecision(4)));
const formatTick = (value: number): string => String(Number(value.toPrecision(3)));

/** Loss over rounds. Renders nothing if participants don't report a loss. */
export function LossPanel({ run, other }: { readonly run: Run; readonly other: Run | null }) {
  const last = run.rounds.findLast(({ loss }) => loss !== null);
  if (last === undefined) return null;
  const count = Math.max(run.roundsTotal, other?.roundsTotal ?? 0, 1);
  const columns = countedColumns(count, "Round");
  const lines: readonly ChartLine[] = [
    { key: run.id, label: "Loss", values: byRound(run, count, ({ loss }) => loss), dash: "solid" },
    ...(other === null
      ? []
      : [
          {
            key: other.id,
            label: `Loss, ${other.name}`,
            values: byRound(other, count, ({ loss }) => loss),
            dash: "dashed" as const,
            color: "var(--color-c2)",
          },
        ]),
  ];
  return (
    <ChartFrame
      title="Loss"
      note={`${format(last.loss ?? 0)} in round ${last.round}`}
      summary={summarizeLines(columns, lines, "Loss by round", format)}
      table={lineTable(columns, lines, "Round", format)}
      csv={lineTable(columns, lines, "Round", String, "key")}
      fileName={`${run.name}-loss`}
      isCompact
    >
      <LineChart
        columns={columns}
        lines={lines}
        label="Loss by round"
        format={format}
        formatTick={formatTick}
        height={110}
        from="lowest"
        endLabels="none"
      />
    </ChartFrame>
  );
}
