/** Checks and their results. */
export class Report {
  readonly #tell: (line: string) => void;
  readonly #counts: Record<string, number> = {};
  readonly #startedAtMs = performance.now();
  #passed = 0;
  #failed = 0;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** Runs one check, which throws on failure. */
  async step(name: string, work: () => void | Promise<void>): Promise<void> {
    const fromMs = performance.now();
    try {
      await work();
    } catch (error) {
      this.fail(name, error);
      return;
    }
    this.#passed += 1;
    this.#tell(`  ✓ ${name}  ${((performance.now() - fromMs) / 1_000).toFixed(1)} s`);
  }

  fail(name: string, error: unknown): void {
    this.#failed += 1;
    this.#tell(`  ✗ ${name}\n    ${error instanceof Error ? error.message : String(error)}`);
  }

  /** Adds a figure to the last line of the output. */
  count(name: string, value: number): void {
    this.#counts[name] = value;
  }

  figures(): { readonly passed: number; readonly failed: number; readonly [name: string]: number } {
    const seconds = Math.round((performance.now() - this.#startedAtMs) / 100) / 10;
    return { passed: this.#passed, failed: this.#failed, ...this.#counts, seconds };
  }
}
