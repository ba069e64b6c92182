import type { Contestant } from "../contestants/contestant.ts";
import { type CallKind, targetOf } from "../load/target-of.ts";
import { ProgramEnded } from "../processes/ask.ts";
import { connections, type Stage } from "./stage.ts";

/**
 * Calls that every contestant serves before it is measured. V8 optimizes hundreds of functions of Tollgate between the
 * 10,000th and the 20,000th call, and a call costs up to three times as much before. Seconds or CPU time would give a
 * slow contestant, or a busy machine, fewer calls than a fast one.
 */
const calls = { quick: 10_000, full: 25_000 };
/** Calls between two checks for failures. */
const portion = 2_500;
const limitMs = 300_000;

export function warmUpCalls(isQuick: boolean): number {
  return isQuick ? calls.quick : calls.full;
}

/**
 * Runs load before the measurement, so that a contestant can compile and initialize. Calls can fail while a contestant
 * opens its connections, so only portions without failures count.
 */
export async function warmUp(stage: Stage, contestant: Contestant, kind: CallKind, moreBytes = 0): Promise<void> {
  const needed = contestant.warmUpCalls ?? warmUpCalls(stage.isQuick);
  const endsAtMs = performance.now() + limitMs;
  const target = targetOf(contestant, kind, moreBytes);
  stage.showProgress(`${kind}: warming up ${contestant.name} with ${needed} calls`);
  for (let served = 0; served < needed; ) {
    const afterCalls = Math.min(portion, needed - served);
    try {
      served += (await stage.generator.runClosedLoop({ target, connections, end: { afterCalls }, pids: [] })).completed;
    } catch (error) {
      if (error instanceof ProgramEnded || performance.now() >= endsAtMs) throw error;
      stage.showProgress(`${kind}: warming up ${contestant.name} again: ${(error as Error).message.split("\n")[0]}`);
    }
  }
}
