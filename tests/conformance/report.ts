export type Suite = "node" | "python" | "differential" | "fuzz" | "oracle" | "canary" | "participant" | "assistants";

/** Collects the results of all checks. Prints a line for each check, and the totals at the end. */
export class Report {
  readonly #counts = new Map<Suite, { passed: number; failed: number }>();
  readonly #write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** Runs one check. It passes unless it throws. */
  async check(suite: Suite, name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
      this.record(suite, name, null);
    } catch (error) {
      this.record(suite, name, error instanceof Error ? error.message : String(error));
    }
  }

  /** Records a check that ran elsewhere; `problem` is null if it passed. */
  record(suite: Suite, name: string, problem: string | null): void {
    const count = this.#counts.get(suite) ?? { passed: 0, failed: 0 };
    if (problem === null) count.passed += 1;
    else count.failed += 1;
    this.#counts.set(suite, count);
    this.#write(`  ${problem === null ? "✓" : "✗"} ${suite.padEnd(12)} ${name}`);
    if (problem !== null) for (const line of problem.trim().split("\n")) this.#write(`      ${line}`);
  }

  get suites(): Readonly<Record<string, { passed: number; failed: number }>> {
    return Object.fromEntries(this.#counts);
  }

  get passed(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count.passed, 0);
  }

  get failed(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count.failed, 0);
  }
}
