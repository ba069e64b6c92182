import type { Scheduler } from "./scheduler.ts";

/** A process that can be killed or stopped between any two things it does. Its timers and answers reach it only here. */
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

  /** Runs the work now, or when the process goes on; never if it is dead. */
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

  /** Goes on with all that came meanwhile, timers that are long due among it. */
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

  /** What a promise of this process resolves with, after the world's time. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }
}

/** What a machine's clocks say: they run a little fast or slow, and someone may set the wall clock. */
export interface Machine {
  readonly rate: number;
  readonly wallAtStartMs: number;
  skewMs: number;
}
