/** Counts checks and prints each result. */
export class Report {
  passed = 0;
  failed = 0;

  /** Runs one check and prints its return value next to its name. */
  async try(name: string, check: () => unknown): Promise<void> {
    const startedAtMs = performance.now();
    try {
      const said = await check();
      const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
      console.log(`✓ ${name}${typeof said === "string" ? `: ${said}` : ""} (${seconds} s)`);
      this.passed += 1;
    } catch (error) {
      console.log(`✗ ${name}\n    ${String((error as Error).message).replaceAll("\n", "\n    ")}`);
      this.failed += 1;
    }
  }
}
