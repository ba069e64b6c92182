import type { Run } from "./run-status.tsx";

/** Maximum number of marks. More marks would be unreadable. */
const MAX_MARKS = 4;

/** Returns marks for the chart: failures, and the round in progress. */
export function findMarks(run: Run): readonly { readonly column: string; readonly text: string }[] {
  const failed = run.rounds.flatMap(({ round, participants }) => {
    const names = participants.filter(({ reason }) => reason !== null).map(({ id }) => id);
    if (names.length === 0) return [];
    return [{ column: String(round), text: names.length === 1 ? `${names[0]} failed` : `${names.length} failed` }];
  });
  const current = run.rounds.at(-1);
  const isUnderWay = run.status === "running" && current !== undefined && current.finishedAt === null;
  return [
    ...failed.slice(-MAX_MARKS),
    ...(isUnderWay ? [{ column: String(current.round), text: `round ${current.round} running` }] : []),
  ];
}
