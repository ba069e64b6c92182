import type { Round, Run } from "./run-status.tsx";

/** Returns one value per round, in order; null for rounds that are missing or have no value. */
export function byRound(
  { rounds }: Pick<Run, "rounds">,
  count: number,
  read: (round: Round) => number | null,
): readonly (number | null)[] {
  const found = new Map(rounds.map((round) => [round.round, read(round)]));
  return Array.from({ length: count }, (_, index) => found.get(index + 1) ?? null);
}
