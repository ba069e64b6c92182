import type { BlobStore } from "../checkpoints/blob-store.ts";
import { CallFailure } from "../participants/call-failure.ts";
import type { Fleet } from "../participants/fleet.ts";
import type { ParticipantPlan, Plan } from "../plan/plan.ts";
import type { Phase } from "../run-events.ts";
import type { RunLog } from "../run-log.ts";
import { type OpenRound, QUARANTINE_AFTER } from "../run-state.ts";

/** What every step of a round works with. */
export interface RoundWork {
  readonly plan: Plan;
  readonly log: RunLog;
  readonly blobs: BlobStore;
  readonly fleet: Fleet;
  readonly open: OpenRound;
  /** Fires when the run is interrupted. Jobs go on at the participants then, and a later run fetches them. */
  readonly signal: AbortSignal;
}

/** Notes that a participant did not do its part; the round goes on without it. */
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

/** Who failed in the round and why, in brackets; nothing where nobody did. */
export function describeFailures({ plan, open }: Pick<RoundWork, "plan" | "open">): string {
  const failures = plan.participants.map(({ id }) => open.failures.get(id)).filter((failure) => failure !== undefined);
  const reasons = failures.map(({ participant, reason }) => `${participant}: ${reason}`);
  return reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
}

/** Rethrows what is not a participant's fault: a full disk or an interruption is no reason to blame anybody. */
export function requireCallFailure(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  throw error;
}

/** A participant of the plan by its id. One that a changed plan no longer has fails its part of the open round. */
export function participantOf(plan: Plan, id: string): ParticipantPlan {
  const found = plan.participants.find((participant) => participant.id === id);
  if (found === undefined) throw new CallFailure("NOT_FOUND", "is no longer in the plan", 1);
  return found;
}
