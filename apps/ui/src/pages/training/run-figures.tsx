import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatBytes } from "@tollgate/domain/figures/size-text.ts";
import { Figures } from "../../components/figure-row.tsx";
import { plural } from "../../format/plural.ts";
import { formatAccuracy, type Run } from "./run-status.tsx";

/** Key figures for a run: accuracy, participants, round duration, model size. */
export function RunFigures({ run }: { readonly run: Run }) {
  const scored = run.rounds.filter(({ accuracy }) => accuracy !== null);
  const [last, before] = [scored.at(-1), scored.at(-2)];
  const rounds = run.rounds.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]));
  const median = rounds.toSorted((one, other) => one - other)[Math.floor(rounds.length / 2)];
  const calls = run.rounds.flatMap(({ participants }) => participants);
  const failures = calls.filter(({ reason }) => reason !== null).length;
  const slow = calls.filter((each) => each.slow).length;
  const active = run.members.filter(({ quarantined }) => !quarantined).length;
  const left = run.roundsTotal - run.roundsDone;
  return (
    <Figures
      items={[
        {
          label: last === undefined ? "Accuracy" : `Accuracy, round ${last.round}`,
          value: formatAccuracy(last?.accuracy ?? null),
          note: changeOf(last?.accuracy ?? null, before) ?? bestOf(run),
        },
        {
          label: "Participants",
          value: `${active} of ${run.participants}`,
          note: `${plural(failures, "failure")}, ${slow} slow in ${plural(calls.length, "request")}`,
        },
        {
          label: "Round time, median",
          value: median === undefined ? "None" : formatDuration(median),
          note:
            run.status === "running" && median !== undefined
              ? `about ${formatDuration(Math.ceil((median * left) / 1_000) * 1_000)} left`
              : `${run.roundsDone} of ${plural(run.roundsTotal, "round")} completed`,
        },
        {
          label: "Parameters",
          value: run.parameterBytes === null ? "None" : formatBytes(run.parameterBytes),
          note: `aggregated with ${run.method}`,
        },
      ]}
    />
  );
}

function changeOf(accuracy: number | null, before: Run["rounds"][number] | undefined): string | null {
  if (accuracy === null || before === undefined || before.accuracy === null) return null;
  const change = accuracy - before.accuracy;
  return `${change < 0 ? "↓" : "↑"} ${Math.abs(change).toFixed(4)} from round ${before.round}`;
}

function bestOf({ best }: Run): string | undefined {
  return best === null ? undefined : `best ${best.score.toFixed(4)} in round ${best.round}`;
}
