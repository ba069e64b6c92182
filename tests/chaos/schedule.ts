/** Period of a deliberate fault, in Unix milliseconds. The end is open while the fault lasts. */
export interface FaultWindow {
  readonly what: string;
  readonly fromMs: number;
  toMs: number;
}

/** Records faults and their times, so that failures can be attributed to faults. */
export class Schedule {
  readonly windows: FaultWindow[] = [];
  readonly #print: (line: string) => void;
  readonly #startedAtMs = Date.now();

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Runs a fault. The recorded period starts before the fault and ends after it. */
  async during(what: string, work: () => unknown): Promise<void> {
    const window = this.open(what);
    try {
      await work();
    } finally {
      this.close(window);
    }
  }

  open(what: string): FaultWindow {
    const window = { what, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.windows.push(window);
    this.#print(`      ${this.#seconds(window.fromMs)} ${what}`);
    return window;
  }

  close(window: FaultWindow): void {
    window.toMs = Date.now();
  }

  /** Reports whether a fault was active in this period, or ended at most `recoveryMs` before the period. */
  explains(fromMs: number, toMs: number, recoveryMs: number): boolean {
    return this.windows.some((window) => window.fromMs <= toMs && window.toMs + recoveryMs >= fromMs);
  }

  #seconds(atMs: number): string {
    return `${((atMs - this.#startedAtMs) / 1_000).toFixed(1).padStart(6)} s`;
  }
}
