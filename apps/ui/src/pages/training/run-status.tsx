import type { Operations } from "@tollgate/sdk/platform";
import { CircleCheck, CircleX, Pause, Play } from "lucide-react";
import { Badge, type Tone } from "../../components/badge.tsx";

export type RunSummary = Operations["listTrainingRuns"]["answer"]["runs"][number];
export type Run = Operations["getTrainingRun"]["answer"]["run"];
export type Round = Run["rounds"][number];

const looks: Readonly<Record<RunSummary["status"], { tone: Tone; Glyph: typeof Play; word: string }>> = {
  running: { tone: "info", Glyph: Play, word: "Running" },
  interrupted: { tone: "warning", Glyph: Pause, word: "Interrupted" },
  paused: { tone: "warning", Glyph: Pause, word: "Paused" },
  failed: { tone: "danger", Glyph: CircleX, word: "Failed" },
  finished: { tone: "neutral", Glyph: CircleCheck, word: "Finished" },
  unreadable: { tone: "danger", Glyph: CircleX, word: "Unreadable" },
};

/** Status of a run, with the current round if it is running. */
export function RunStatus({ run }: { readonly run: RunSummary }) {
  const { tone, Glyph, word } = looks[run.status];
  const round =
    run.status === "running" ? `, round ${Math.min(run.roundsDone + 1, run.roundsTotal)} of ${run.roundsTotal}` : "";
  return (
    <span title={reasonOf(run) ?? undefined}>
      <Badge tone={tone} icon={<Glyph strokeWidth={1.75} aria-hidden />}>
        {word}
        {round}
      </Badge>
    </span>
  );
}

/** Returns the reason why a run stopped early; null if it is running or finished. */
export function reasonOf({ status, reason }: RunSummary): string | null {
  if (status === "interrupted") return "No coordinator is running. To resume, run tollgate train resume.";
  return status === "running" || status === "finished" ? null : reason;
}

/** Formats an accuracy with four decimals. */
export function formatAccuracy(accuracy: number | null): string {
  return accuracy === null ? "None" : accuracy.toFixed(4);
}
