const toleratedShare = 0.001;

/**
 * Counts failed calls. A few failures can happen on a busy machine, but more than one in a thousand invalidates a
 * measurement.
 */
export class FailureCount {
  #failed = 0;
  #first = "";

  add(problem: string): void {
    if (this.#failed === 0) this.#first = problem;
    this.#failed += 1;
  }

  throwIfTooMany(completed: number): void {
    if (this.#failed > completed * toleratedShare) {
      throw new Error(`${this.#failed} calls failed beside ${completed} that did not; the first: ${this.#first}`);
    }
  }
}
