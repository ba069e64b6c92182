import { ParticipantFailure } from "../participant-failure.ts";

const MAX_RUNS = 1000;

/** Highest round seen per run, so that late messages from an old round don't trigger training. */
export class RoundMemory {
  readonly #highest = new Map<string, number>();

  /** Records the round, or throws if its run is already in a later round. */
  check(runId: string | undefined, round: number | undefined): void {
    if (runId === undefined || round === undefined) return;
    const highest = this.#highest.get(runId);
    if (highest !== undefined && round < highest) {
      const message = `round ${round} is older than round ${highest}, the latest round of this run`;
      throw new ParticipantFailure("CONFLICT", message);
    }
    // Reinsert the entry, so that the least recently seen run is evicted first.
    this.#highest.delete(runId);
    this.#highest.set(runId, round);
    const oldest = this.#highest.keys().next().value;
    if (this.#highest.size > MAX_RUNS && oldest !== undefined) this.#highest.delete(oldest);
  }
}
