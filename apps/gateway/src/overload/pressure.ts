/** What is given up first when not everything can be served; running calls are never given up for new ones. */
export type CallPriority = "read" | "background" | "usual";

/** How hard this process has it: whether it can take what is offered. */
export interface Pressure {
  sheds(priority: CallPriority): boolean;
  /** How many calls at once it can take just now, whatever the settings allow. */
  readonly room: number;
}

/** For where nobody measures. */
export const noPressure: Pressure = { sheds: () => false, room: Number.POSITIVE_INFINITY };

/** What was seen at one look. */
export interface PressureSample {
  /** How late timers were; most of them, because one long pause alone is a collection of garbage. */
  readonly lagMs: number;
  readonly heapPart: number;
  /** What clients have not taken yet of their answers. */
  readonly unsentBytes: number;
  readonly inFlight: number;
}

export const LOOK_MS = 250;
/** So many looks in a row make a state; a single one may be anything. */
const LOOKS = 4;

/** From these on, what can wait is refused, and then all that is new. */
const LAG_MS = { background: 50, usual: 150 };
const HEAP_PART = { background: 0.75, usual: 0.85, exhausted: 0.95 };
const MAX_UNSENT_BYTES = 128 * 1024 * 1024;

/**
 * So many are served whatever the pressure: a process that refuses everything never finds out that it is over, and one on
 * a machine that others have filled is late with a few calls too.
 */
export const ALWAYS_SERVED = 128;
const LESS = 0.7;
const MORE = 1.2;

/**
 * Turns looks at the process into decisions. Refusing all that is new until the process is well again would leave it idle
 * one second and drowned the next; so a process that is late takes a third less at each look, and then ever more again.
 */
export class PressureGauge implements Pressure {
  readonly #onExhausted: () => void;
  #lateLooks = 0;
  #veryLateLooks = 0;
  #fullLooks = 0;
  #shedsBackground = false;
  #shedsUsual = false;
  room = Number.POSITIVE_INFINITY;
  /** As last seen, for whoever shows it. */
  last: PressureSample = { lagMs: 0, heapPart: 0, unsentBytes: 0, inFlight: 0 };

  /** `onExhausted` is called once the memory is so full that only a new process helps. */
  constructor(onExhausted: () => void) {
    this.#onExhausted = onExhausted;
  }

  sheds(priority: CallPriority): boolean {
    return priority === "usual" ? this.#shedsUsual : this.#shedsBackground;
  }

  note(sample: PressureSample): void {
    this.last = sample;
    const { lagMs, heapPart, unsentBytes } = sample;
    this.#lateLooks = lagMs > LAG_MS.background ? this.#lateLooks + 1 : 0;
    this.#fullLooks = heapPart > HEAP_PART.exhausted ? this.#fullLooks + 1 : 0;
    this.#shedsUsual = heapPart > HEAP_PART.usual || unsentBytes > MAX_UNSENT_BYTES;
    this.#shedsBackground = this.#shedsUsual || heapPart > HEAP_PART.background || this.#lateLooks >= LOOKS;
    this.#adapt(sample);
    if (this.#fullLooks === LOOKS) this.#onExhausted();
  }

  #adapt({ lagMs, inFlight }: PressureSample): void {
    this.#veryLateLooks = lagMs > LAG_MS.usual ? this.#veryLateLooks + 1 : 0;
    if (this.#veryLateLooks >= 2) this.room = Math.max(ALWAYS_SERVED, Math.floor(Math.min(this.room, inFlight) * LESS));
    else if (lagMs > LAG_MS.background || this.room === Number.POSITIVE_INFINITY) return;
    // Once more is allowed than is wanted there is nothing to hold back.
    else if (this.room > inFlight * 2 + ALWAYS_SERVED) this.room = Number.POSITIVE_INFINITY;
    else this.room = Math.ceil(this.room * MORE);
  }
}
