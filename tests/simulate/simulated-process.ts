import type { Scheduler } from "./scheduler.ts";

/**
 * A process that can be killed or frozen between any two steps. All timers and responses reach it through this class.
 */
export class SimulatedProcess {
  #state: "running" | "frozen" | "dead" = "running";
  #waiting: (() => void)[] = [];
  readonly #scheduler: Scheduler;
  readonly #machine: Machine;

  constructor(scheduler: Scheduler, machine: Machine) {
    this.#scheduler = scheduler;
    this.#machine = machine;
  }

  get isDead(): boolean {
    return this.#state === "dead";
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  /** Runs the work now, or when the process resumes; never if the process is dead. */
  enter(work: () => void): void {
    if (this.#state === "running") work();
    else if (this.#state === "frozen") this.#waiting.push(work);
  }

  kill(): void {
    this.#state = "dead";
    this.#waiting = [];
  }

  freeze(): void {
    if (this.#state === "running") this.#state = "frozen";
  }

  /** Resumes the process with everything that arrived while it was frozen, including overdue timers. */
  thaw(): void {
    if (this.#state !== "frozen") return;
    this.#state = "running";
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const work of waiting) this.enter(work);
  }

  monotonicMs(): number {
    return this.#scheduler.nowMs * this.#machine.rate;
  }

  wallMs(): number {
    return Math.floor(this.#machine.wallAtStartMs + this.#scheduler.nowMs * this.#machine.rate + this.#machine.skewMs);
  }

  after(ms: number, work: () => void): () => void {
    return this.#scheduler.after(ms / this.#machine.rate, () => this.enter(work));
  }

  /** Resolves in this process after this much simulated time. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }
}

/** Clocks of a machine: they run slightly fast or slow, and the wall clock can be set. */
export interface Machine {
  readonly rate: number;
  readonly wallAtStartMs: number;
  skewMs: number;
}
