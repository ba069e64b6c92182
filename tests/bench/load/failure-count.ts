const toleratedShare = 0.001;

/** Counts calls that went wrong. A few may, on a busy machine; a figure with more than one in a thousand is refused. */
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
