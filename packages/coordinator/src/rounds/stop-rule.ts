import type { StopPlan } from "../plan/plan.ts";
import type { FinishReason } from "../run-events.ts";

/** Whether `score` is better than `other` by more than `margin`. */
export function isBetter(score: number, other: number, goal: StopPlan["goal"], margin = 0): boolean {
  return goal === "max" ? score > other + margin : score < other - margin;
}

/** Watches the score of each round and says when a run is over. */
export class StopRule {
  readonly #plan: StopPlan;
  readonly #rounds: number;
  #reference: number | null = null;
  #roundsWithout = 0;
  #hasReachedTarget = false;

  constructor(plan: StopPlan, rounds: number) {
    this.#plan = plan;
    this.#rounds = rounds;
  }

  /** Called for each round that was measured, in order; a rejected round is one without improvement. */
  see(score: number, isAccepted: boolean): void {
    const { goal, minDelta, target } = this.#plan;
    const isImproved = this.#reference === null || isBetter(score, this.#reference, goal, minDelta);
    if (isAccepted && isImproved) {
      this.#reference = score;
      this.#roundsWithout = 0;
    } else this.#roundsWithout += 1;
    if (isAccepted && target !== null && (score === target || isBetter(score, target, goal)))
      this.#hasReachedTarget = true;
  }

  /** Why no round follows the `lastRound`; null if one does. */
  reasonAfter(lastRound: number): FinishReason | null {
    if (this.#hasReachedTarget) return "target";
    if (this.#plan.patience !== null && this.#roundsWithout >= this.#plan.patience) return "patience";
    return lastRound >= this.#rounds ? "rounds" : null;
  }
}
