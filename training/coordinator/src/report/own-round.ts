import type { ParticipantRound, RoundHistory } from "../run-history.ts";

const known = new WeakMap<RoundHistory, ReadonlyMap<string, ParticipantRound>>();

/**
 * Returns a participant's data for a round; null if the participant didn't take part. Rounds are indexed because
 * lookups are frequent.
 */
export function ownRound(round: RoundHistory, id: string): ParticipantRound | null {
  let index = known.get(round);
  if (index === undefined) {
    index = new Map(round.participants.map((participant) => [participant.id, participant]));
    known.set(round, index);
  }
  return index.get(id) ?? null;
}
