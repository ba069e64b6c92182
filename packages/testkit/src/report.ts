/** Numbers of passed and failed checks. */
interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** A check that did not run, and the reason. */
interface SkippedCheck {
  readonly name: string;
  readonly reason: string;
}

interface ReportOptions {
  /** Prints one line. Default: to standard output. */
  readonly print?: (line: string) => void;
}

const SUITE_WIDTH = 12;
/** Maximum size of the reason of one failure. */
const MAX_REASON_LINES = 40;
const MAX_LINE = 1_000;

/**
 * The results of a run of checks. Prints a line for each check, the reasons of each failure below it, and the counts at
 * the end.
 */
export class Report<Suite extends string = string> {
  readonly #print: (line: string) => void;
  readonly #startedAtMs = performance.now();
  readonly #counts = new Map<string, { passed: number; failed: number }>();
  readonly #skipped: SkippedCheck[] = [];
  /** Figures for the JSON line. */
  readonly figures: Record<string, unknown> = {};

  constructor({ print = (line) => void process.stdout.write(`${line}\n`) }: ReportOptions = {}) {
    this.#print = print;
  }

  /**
   * Runs one check, which passes unless it throws, and returns whether it passed. If the check returns text, the text is
   * printed next to its name.
   */
  async check(suite: Suite, name: string, run: () => unknown): Promise<boolean> {
    const startedAtMs = performance.now();
    const elapsed = () => `(${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s)`;
    try {
      const found = await run();
      this.record(suite, `${name}${typeof found === "string" ? `: ${found}` : ""} ${elapsed()}`, null);
      return true;
    } catch (error) {
      this.record(suite, `${name} ${elapsed()}`, describeError(error));
      return false;
    }
  }

  /**
   * Records the result of a check that ran elsewhere; `problem` is null if it passed. The details are printed below the
   * name in both cases.
   */
  record(suite: Suite, name: string, problem: string | null, details: readonly string[] = []): void {
    this.add(suite, problem === null ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
    this.#printCheck(problem === null ? "✓" : "✗", suite, name, details);
    if (problem === null) return;
    const lines = problem.trim().split("\n");
    for (const line of lines.slice(0, MAX_REASON_LINES)) this.#print(`      ${line.slice(0, MAX_LINE)}`);
    if (lines.length > MAX_REASON_LINES) this.#print(`      and ${lines.length - MAX_REASON_LINES} more lines`);
  }

  /** Records a check that cannot run on this machine. */
  skip(suite: Suite, name: string, reason: string): void {
    this.#skipped.push({ name, reason });
    this.#printCheck("–", suite, name, [`skipped: ${reason}`]);
  }

  /** Adds the counts of checks that another process has printed. */
  add(suite: Suite, { passed, failed }: Count): void {
    const count = this.#counts.get(suite) ?? { passed: 0, failed: 0 };
    count.passed += passed;
    count.failed += failed;
    this.#counts.set(suite, count);
  }

  /** Prints a line that is not the result of a check. */
  note(line: string): void {
    this.#print(`  · ${line}`);
  }

  get suites(): Readonly<Record<string, Count>> {
    return Object.fromEntries(this.#counts);
  }

  get passed(): number {
    return [...this.#counts.values()].reduce((sum, { passed }) => sum + passed, 0);
  }

  get failed(): number {
    return [...this.#counts.values()].reduce((sum, { failed }) => sum + failed, 0);
  }

  get skipped(): readonly SkippedCheck[] {
    return this.#skipped;
  }

  /** Seconds since the run started, with one decimal place. */
  get seconds(): number {
    return Math.round((performance.now() - this.#startedAtMs) / 100) / 10;
  }

  /** Prints the counts and, unless it is null, the result as one JSON object on the last line. Returns the exit code. */
  close(result: object | null): number {
    const { passed, failed, skipped } = this;
    const names = skipped.map(({ name, reason }) => `${name} (${reason})`).join("; ");
    this.#print(
      `\n${passed} passed, ${failed} failed${skipped.length === 0 ? "" : `, ${skipped.length} skipped: ${names}`}`,
    );
    if (result !== null) this.#print(JSON.stringify(result));
    return failed === 0 ? 0 : 1;
  }

  #printCheck(mark: string, suite: string, name: string, details: readonly string[]): void {
    this.#print(`  ${mark} ${suite.padEnd(SUITE_WIDTH)} ${name}`);
    for (const detail of details) this.#print(`      ${detail}`);
  }
}

/** Returns the message of an error and of its causes. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\ncaused by: ${describeError(error.cause)}`;
}
