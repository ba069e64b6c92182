import type { Round, Run } from "./run-status.tsx";

/** A value per round, in the order of their numbers; null for rounds that are missing or have none. */
export function byRound(
  { rounds }: Pick<Run, "rounds">,
  count: number,
  read: (round: Round) => number | null,
): readonly (number | null)[] {
  const found = new Map(rounds.map((round) => [round.round, read(round)]));
  return Array.from({ length: count }, (_, index) => found.get(index + 1) ?? null);
}
