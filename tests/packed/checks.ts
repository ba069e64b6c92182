/** Counts passed and failed checks. A check fails if it throws, and the next check still runs. */
export class Checks {
  readonly figures: Record<string, number | string> = {};
  passed = 0;
  failed = 0;

  async check(promise: string, prove: () => void | Promise<void>): Promise<void> {
    const startedAtMs = performance.now();
    try {
      await prove();
      this.passed += 1;
      console.log(`✓ ${promise} (${secondsSince(startedAtMs)} s)`);
    } catch (error) {
      this.failed += 1;
      console.log(`✗ ${promise}\n  ${(error as Error).stack ?? String(error)}`);
    }
  }

  /** Returns the last line of the output: the counts and figures as one JSON object. */
  report(): string {
    return JSON.stringify({ passed: this.passed, failed: this.failed, ...this.figures });
  }
}

export const secondsSince = (startedAtMs: number): number => Math.round((performance.now() - startedAtMs) / 100) / 10;
