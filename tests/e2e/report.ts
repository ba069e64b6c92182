import { isBrowserGone } from "./stage/open-browser.ts";

export type Suite = "journey" | "pages" | "keyboard" | "attacks" | "fallback" | "budgets" | "complaints" | "docs";

interface Count {
  passed: number;
  failed: number;
}

/** Prints a line for every check, and the counts at the end. */
export class Report {
  readonly #counts = new Map<Suite, Count>();
  readonly #write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /**
   * Runs one check, which passes if it does not throw. Returns the result. Skips checks that need a missing browser.
   */
  async check(suite: Suite, name: string, run: () => void | Promise<void>): Promise<boolean> {
    const startedAtMs = performance.now();
    try {
      await run();
      this.record(suite, `${name} (${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s)`, null);
      return true;
    } catch (error) {
      if (isBrowserGone(error)) throw error;
      this.record(suite, name, error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** Records the result of a check that ran elsewhere; `problem` is null if it passed. */
  record(suite: Suite, name: string, problem: string | null): void {
    const count = this.#counts.get(suite) ?? { passed: 0, failed: 0 };
    if (problem === null) count.passed += 1;
    else count.failed += 1;
    this.#counts.set(suite, count);
    this.#write(`  ${problem === null ? "✓" : "✗"} ${suite.padEnd(10)} ${name}`);
    if (problem !== null)
      for (const line of problem.trim().split("\n").slice(0, 12)) this.#write(`      ${line.slice(0, 400)}`);
  }

  /** Prints a note that is not a check. */
  tell(line: string): void {
    this.#write(`  · ${line}`);
  }

  get suites(): Readonly<Record<string, Readonly<Count>>> {
    return Object.fromEntries(this.#counts);
  }

  get passed(): number {
    return [...this.#counts.values()].reduce((sum, { passed }) => sum + passed, 0);
  }

  get failed(): number {
    return [...this.#counts.values()].reduce((sum, { failed }) => sum + failed, 0);
  }
}
