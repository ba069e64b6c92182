import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatBytes } from "@tollgate/domain/figures/size-text.ts";
import type { ReactNode } from "react";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { formatAccuracy, type Run, RunStatus } from "./run-status.tsx";

const rows: readonly (readonly [string, (run: Run) => ReactNode])[] = [
  ["Status", (run) => <RunStatus run={run} />],
  ["Started", ({ startedAt }) => <Time at={startedAt} form="minute" />],
  ["Completed rounds", ({ roundsDone, roundsTotal }) => `${roundsDone} of ${roundsTotal}`],
  ["Participants", ({ participants }) => participants],
  ["Latest accuracy", ({ lastAccuracy }) => formatAccuracy(lastAccuracy)],
  ["Best score", ({ best }) => (best === null ? "None" : `${best.score.toFixed(4)} in round ${best.round}`)],
  ["Failures", ({ rounds }) => rounds.flatMap(({ participants }) => participants).filter(hasFailed).length],
  [
    "Total round time",
    ({ rounds }) => formatDuration(rounds.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)),
  ],
  ["Parameters", ({ parameterBytes }) => (parameterBytes === null ? "None" : formatBytes(parameterBytes))],
  ["Aggregation", ({ method }) => method],
];

/** Compares two runs. Differences are bold. */
export function CompareTable({ runs }: { readonly runs: readonly [Run, Run] }) {
  const [one, other] = runs;
  return (
    <Panel title="Comparison" note="solid and dashed lines in the charts below" flush>
      <table className="w-full table-fixed border-collapse text-table">
        <thead>
          <tr className="border-b border-border text-left">
            <th className="h-9 w-36 px-4 text-meta font-medium text-muted max-sm:w-28">
              <span className="sr-only">Metric</span>
            </th>
            {runs.map(({ id, name }) => (
              <th key={id} className="px-4 font-medium">
                <Link to="/training/$runId" params={{ runId: id }} className="block truncate hover:underline">
                  {name} <span className="font-mono text-meta font-normal text-muted">{id.slice(-6)}</span>
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, read]) => {
            const [left, right] = [read(one), read(other)];
            const isDifferent = typeof left !== "object" && left !== right;
            return (
              <tr key={label} className="border-b border-hairline last:border-0">
                <th scope="row" className="h-8 px-4 text-left font-normal text-muted">
                  {label}
                </th>
                <td className={isDifferent ? "px-4 font-medium" : "px-4"}>{left}</td>
                <td className={isDifferent ? "px-4 font-medium" : "px-4"}>{right}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Panel>
  );
}

function hasFailed({ reason }: { readonly reason: string | null }): boolean {
  return reason !== null;
}
