import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { CallPriority } from "./admission-gate.ts";

/** How hard this process has it: whether it can take what is offered. */
export interface Pressure {
  sheds(priority: CallPriority): boolean;
}

const LOOK_MS = 1_000;
/** The delay is sampled this often, and the sampling itself is part of what is measured. */
const RESOLUTION_MS = 10;
const NANO_PER_MS = 1_000_000;

/** From these on, work that can wait is refused, and then all that is new. */
const LAG_MS = { background: 50, usual: 150 };
const HEAP_PART = { background: 0.75, usual: 0.85 };

/** Looks once a second at how late this process's timers are and how full its memory is. */
export class ProcessPressure implements Pressure {
  readonly #delay: ELDHistogram;
  readonly #timer: NodeJS.Timeout;
  #shedsBackground = false;
  #shedsUsual = false;
  /** As last seen, for whoever shows it. */
  lagMs = 0;
  heapPart = 0;

  constructor() {
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  sheds(priority: CallPriority): boolean {
    return priority === "usual" ? this.#shedsUsual : this.#shedsBackground;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  #look(): void {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    this.heapPart = used / limit;
    // One long pause in a second is a collection of garbage; one delay in ten is a process that cannot keep up.
    this.lagMs = Math.max(0, this.#delay.percentile(90) / NANO_PER_MS - RESOLUTION_MS);
    this.#delay.reset();
    this.#shedsBackground = this.lagMs > LAG_MS.background || this.heapPart > HEAP_PART.background;
    this.#shedsUsual = this.lagMs > LAG_MS.usual || this.heapPart > HEAP_PART.usual;
  }
}
