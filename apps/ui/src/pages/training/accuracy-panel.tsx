import { countedColumns } from "../../charts/chart-column.ts";
import { ChartFrame } from "../../charts/chart-frame.tsx";
import { type ChartLine, LineChart } from "../../charts/line-chart.tsx";
import { lineTable, summarizeLines } from "../../charts/line-table.ts";
import { byRound } from "./by-round.ts";
import { findMarks } from "./find-marks.ts";
import type { Run } from "./run-status.tsx";

interface ComparedProps {
  readonly run: Run;
  /** Run to compare with. */
  readonly other: Run | null;
}

const format = (value: number): string => value.toFixed(4);
const formatTick = (value: number): string => String(Number(value.toFixed(2)));

/** Accuracy over rounds: the mean as a line, the range across participants as a band. */
export function AccuracyPanel({ run, other }: ComparedProps) {
  const count = Math.max(run.roundsTotal, other?.roundsTotal ?? 0, 1);
  const columns = countedColumns(count, "Round");
  const own: ChartLine = {
    key: run.id,
    label: other === null ? "Weighted mean" : nameOf(run),
    values: byRound(run, count, ({ accuracy }) => accuracy),
    dash: "solid",
  };
  const lines: readonly ChartLine[] =
    other === null
      ? [own]
      : [
          own,
          {
            key: other.id,
            label: nameOf(other),
            values: byRound(other, count, ({ accuracy }) => accuracy),
            dash: "dashed",
            color: "var(--color-c2)",
          },
        ];
  const low = byRound(run, count, ({ min }) => min);
  const high = byRound(run, count, ({ max }) => max);
  const named = [...lines, { label: "Lowest", values: low }, { label: "Highest", values: high }];
  return (
    <ChartFrame
      title={`${capital(run.metric)} by round`}
      note={
        other === null ? "line: weighted mean, band: lowest to highest participant" : "band: this run's participants"
      }
      summary={summarizeLines(columns, lines, `${capital(run.metric)} by round`, format)}
      table={lineTable(columns, named, "Round", format)}
      csv={lineTable(columns, named, "Round", String, "key")}
      fileName={`${run.name}-${run.metric}`}
    >
      <LineChart
        columns={columns}
        lines={lines}
        band={{ label: "Participants", low, high }}
        marks={other === null ? findMarks(run) : []}
        label={`${capital(run.metric)} by round`}
        format={format}
        formatTick={formatTick}
        height={304}
        gridLines={4}
        from="lowest"
        to={1}
        endLabels={other === null ? "values" : "names"}
      />
    </ChartFrame>
  );
}

function nameOf({ name, id }: Run): string {
  return `${name.slice(0, 16)} ${id.slice(-4)}`;
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
