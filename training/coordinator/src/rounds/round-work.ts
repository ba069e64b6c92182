import type { BlobStore } from "../checkpoints/blob-store.ts";
import { CallFailure } from "../participants/call-failure.ts";
import type { Fleet } from "../participants/fleet.ts";
import type { ParticipantPlan, Plan } from "../plan/plan.ts";
import type { Phase } from "../run-events.ts";
import type { RunLog } from "../run-log.ts";
import { type OpenRound, QUARANTINE_AFTER } from "../run-state.ts";

/** Context shared by all steps of a round. */
export interface RoundWork {
  readonly plan: Plan;
  readonly log: RunLog;
  readonly blobs: BlobStore;
  readonly fleet: Fleet;
  readonly open: OpenRound;
  /** Fires when the run is interrupted. Jobs continue on the participants, and a resumed run fetches their results. */
  readonly signal: AbortSignal;
}

/** Records that a participant failed. The round continues without it. */
export async function recordFailure(
  { log, open }: Pick<RoundWork, "log" | "open">,
  participant: string,
  phase: Phase,
  failure: { readonly code: string; readonly message: string; readonly attempts: number },
): Promise<void> {
  const { round } = open.start;
  const fact = { round, participant, phase, reason: failure.message, code: failure.code, attempts: failure.attempts };
  await log.record({ type: "participant.failed", ...fact });
  const quarantined = log.state.failedRoundsInARow(participant) + 1 === QUARANTINE_AFTER;
  log.emit({ type: "participant.failed", ...fact, quarantined });
  log.emit({
    type: "participant.state",
    round,
    participant,
    state: failure.code === "LATE" ? "late" : phase === "select" ? "unavailable" : "failed",
    note: failure.message,
  });
}

/** Lists the round's failures in parentheses; "" if there are none. */
export function describeFailures({ plan, open }: Pick<RoundWork, "plan" | "open">): string {
  const failures = plan.participants.map(({ id }) => open.failures.get(id)).filter((failure) => failure !== undefined);
  const reasons = failures.map(({ participant, reason }) => `${participant}: ${reason}`);
  return reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
}

/**
 * Returns the error if it is a participant's failure. Rethrows other errors, such as a full disk or an interruption.
 */
export function requireCallFailure(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  throw error;
}

/** Finds a participant in the plan by ID. A participant that was removed from the plan fails in the open round. */
export function participantOf(plan: Plan, id: string): ParticipantPlan {
  const found = plan.participants.find((participant) => participant.id === id);
  if (found === undefined) throw new CallFailure("NOT_FOUND", "is no longer in the plan", 1);
  return found;
}
