import { setTimeout as pause } from "node:timers/promises";
import { backoffMs } from "../participants/backoff.ts";
import type { CallFailure } from "../participants/call-failure.ts";
import type { Fleet } from "../participants/fleet.ts";
import { sampleInOrder, seededRandom } from "../participants/seeded-random.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunState } from "../run-state.ts";
import { RoundFailure } from "./round-failure.ts";

const ROUNDING = 1e-9;

interface Selection {
  readonly selected: readonly string[];
  /** Number of results required before the round may close without the remaining results. */
  readonly quorum: number;
  readonly unavailable: ReadonlyMap<string, CallFailure>;
  readonly quarantined: readonly string[];
}

/**
 * Selects a seeded sample of the healthy trainers, in plan order. With fewer than `minTrain` trainers, waits and
 * retries as often as the plan allows, then throws RoundFailure.
 */
export async function selectRound(
  plan: Plan,
  state: RunState,
  fleet: Fleet,
  random: () => number,
  signal: AbortSignal,
): Promise<Selection> {
  const round = state.lastRound + 1;
  const trainers = plan.participants.filter(({ roles }) => roles.includes("train")).map(({ id }) => id);
  const quarantined = plan.participants.map(({ id }) => id).filter((id) => state.isQuarantined(id, round));
  const candidates = trainers.filter((id) => !quarantined.includes(id));
  for (let attempt = 1; ; attempt += 1) {
    const unavailable = await findUnavailable(candidates, fleet, signal);
    const ready = candidates.filter((id) => !unavailable.has(id));
    // If the round needs quarantined participants, give them an early chance.
    const recalled = ready.length < plan.round.minTrain ? await findReady(trainers, quarantined, fleet, signal) : [];
    const healthy = trainers.filter((id) => ready.includes(id) || recalled.includes(id));
    if (healthy.length >= plan.round.minTrain) {
      const count = Math.max(plan.round.minTrain, countOf(plan.round.sample, healthy.length));
      const selected = sampleInOrder(healthy, count, seededRandom(plan.run.seed, `select ${round}`));
      const quorum = Math.max(plan.round.minTrain, countOf(plan.round.quorum, selected.length));
      return { selected, quorum, unavailable, quarantined: quarantined.filter((id) => !selected.includes(id)) };
    }
    if (attempt >= plan.retry.attempts) {
      throw new RoundFailure("select", describeLack(plan.round.minTrain, healthy, unavailable, quarantined));
    }
    await pause(backoffMs(attempt, plan.retry, random), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Returns a fraction of a count, rounded up. Ignores floating-point error: 0.55 of 100 is 55. */
export function countOf(part: number, all: number): number {
  return Math.ceil(part * all - ROUNDING);
}

async function findReady(
  trainers: readonly string[],
  quarantined: readonly string[],
  fleet: Fleet,
  signal: AbortSignal,
): Promise<string[]> {
  const waiting = trainers.filter((id) => quarantined.includes(id));
  const unavailable = await findUnavailable(waiting, fleet, signal);
  return waiting.filter((id) => !unavailable.has(id));
}

async function findUnavailable(
  candidates: readonly string[],
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Map<string, CallFailure>> {
  const obstacles = await Promise.all(candidates.map((id) => fleet.findObstacle(id, "train", signal)));
  const unavailable = new Map<string, CallFailure>();
  for (const [index, obstacle] of obstacles.entries()) {
    if (obstacle !== null) unavailable.set(candidates[index] as string, obstacle);
  }
  return unavailable;
}

function describeLack(
  needed: number,
  healthy: readonly string[],
  unavailable: ReadonlyMap<string, CallFailure>,
  quarantined: readonly string[],
): string {
  const reasons = [...unavailable].map(([id, { message }]) => `${id}: ${message}`);
  if (quarantined.length > 0) reasons.push(`quarantined: ${quarantined.join(", ")}`);
  const why = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
  return `${healthy.length} of ${needed} required participants can train${why}`;
}
