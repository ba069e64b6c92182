import { ParticipantFailure } from "../participant-failure.ts";

const MAX_RUNS = 1000;

/** The highest round seen of each run, so that a late message of an old round is not trained on. */
export class RoundMemory {
  readonly #highest = new Map<string, number>();

  /** Remembers the round, or refuses one that its run has left behind. */
  check(runId: string | undefined, round: number | undefined): void {
    if (runId === undefined || round === undefined) return;
    const highest = this.#highest.get(runId);
    if (highest !== undefined && round < highest) {
      const message = `round ${round} is older than round ${highest}, the latest round of this run`;
      throw new ParticipantFailure("CONFLICT", message);
    }
    // Taken out and put back, so that the run unheard of for longest is the first to be forgotten.
    this.#highest.delete(runId);
    this.#highest.set(runId, round);
    const oldest = this.#highest.keys().next().value;
    if (this.#highest.size > MAX_RUNS && oldest !== undefined) this.#highest.delete(oldest);
  }
}
