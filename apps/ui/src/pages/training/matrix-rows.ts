import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { MatrixCell, MatrixRow } from "../../components/participant-matrix.tsx";
import type { Round, Run } from "./run-status.tsx";

type Part = Round["participants"][number];

/** Returns a row per participant, with its latest accuracy and a cell for each round up to the latest one. */
export function matrixRows(run: Run): readonly MatrixRow[] {
  const rounds = new Map(run.rounds.map((round) => [round.round, round]));
  const last = run.rounds.at(-1)?.round ?? 0;
  return run.members.map(({ id, quarantined }) => {
    const parts = run.rounds.flatMap(({ participants }) => participants.filter((part) => part.id === id));
    const examples = parts.findLast((part) => part.examples !== null)?.examples ?? null;
    const accuracy = parts.findLast((part) => part.accuracy !== null)?.accuracy ?? null;
    return {
      name: id,
      note: quarantined ? "quarantined" : examples === null ? null : `${formatCount(examples)} rows`,
      cells: Array.from({ length: last }, (_, index) =>
        cellOf(
          rounds.get(index + 1)?.participants.find((part) => part.id === id),
          run.status === "running",
        ),
      ),
      figure: accuracy === null ? null : accuracy.toFixed(4),
    };
  });
}

/** Returns all failures, newest first. */
export function failuresOf(
  run: Run,
): readonly { readonly round: number; readonly id: string; readonly reason: string }[] {
  return run.rounds
    .flatMap(({ round, participants }) =>
      participants.flatMap(({ id, reason }) => (reason === null ? [] : [{ round, id, reason }])),
    )
    .toReversed();
}

function cellOf(part: Part | undefined, isRunning: boolean): MatrixCell {
  if (part === undefined || part.state === "not selected") return { state: "expected" };
  if (part.reason !== null || part.state === "failed" || part.state === "late" || part.state === "unavailable") {
    return { state: "failed", detail: part.reason ?? part.state };
  }
  const detail = part.durationMs === null ? null : formatDuration(part.durationMs);
  if (part.state === "training") return { state: isRunning ? "running" : "expected" };
  return { state: part.slow ? "slow" : "ok", detail };
}
