import type { StopPlan } from "../plan/plan.ts";
import type { FinishReason } from "../run-events.ts";

/** Reports whether `score` is better than `other` by more than `margin`. */
export function isBetter(score: number, other: number, goal: StopPlan["goal"], margin = 0): boolean {
  return goal === "max" ? score > other + margin : score < other - margin;
}

/** Watches the score of each round and decides when a run ends. */
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

  /** Must be called for each evaluated round, in order. A rejected round counts as a round without improvement. */
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

  /** Returns why the run ends after `lastRound`; null if it continues. */
  reasonAfter(lastRound: number): FinishReason | null {
    if (this.#hasReachedTarget) return "target";
    if (this.#plan.patience !== null && this.#roundsWithout >= this.#plan.patience) return "patience";
    return lastRound >= this.#rounds ? "rounds" : null;
  }
}
