/** A time in which something was broken on purpose. Unix milliseconds; open while it still is. */
export interface FaultWindow {
  readonly what: string;
  readonly fromMs: number;
  toMs: number;
}

/** What was done when, so that a run can be read afterwards and failures be laid at its door. */
export class Schedule {
  readonly windows: FaultWindow[] = [];
  readonly #print: (line: string) => void;
  readonly #startedAtMs = Date.now();

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Does something harmful; it counts as broken from before it began until after it returned. */
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

  /** Whether anything was broken between these times, or no longer ago than that. */
  explains(fromMs: number, toMs: number, recoveryMs: number): boolean {
    return this.windows.some((window) => window.fromMs <= toMs && window.toMs + recoveryMs >= fromMs);
  }

  #seconds(atMs: number): string {
    return `${((atMs - this.#startedAtMs) / 1_000).toFixed(1).padStart(6)} s`;
  }
}
