import type { CallPriority } from "../call/operation-traits.ts";

/** Load pressure of this process, which determines which requests it can accept. */
export interface Pressure {
  sheds(priority: CallPriority): boolean;
  /** Current maximum number of concurrent calls, regardless of the settings. */
  readonly room: number;
}

/** Pressure of a process that isn't measured. */
export const noPressure: Pressure = { sheds: () => false, room: Number.POSITIVE_INFINITY };

/** One sample of the process. */
export interface PressureSample {
  /**
   * Timer delay at a high percentile. The maximum isn't used, because a single long pause is usually a garbage
   * collection.
   */
  readonly lagMs: number;
  readonly heapPart: number;
  /** Response bytes that clients have not read yet. */
  readonly unsentBytes: number;
  readonly inFlight: number;
}

export const LOOK_MS = 250;
/** Number of consecutive samples needed to change the state, because a single sample may be an outlier. */
const LOOKS = 4;

/** Thresholds above which background calls, and then all new calls, are refused. */
const LAG_MS = { background: 50, usual: 150 };
const HEAP_PART = { background: 0.75, usual: 0.85, exhausted: 0.95 };
const MAX_UNSENT_BYTES = 128 * 1024 * 1024;

/**
 * Number of calls that are served regardless of pressure. A process that refuses all calls never detects that the
 * pressure has ended. If other programs use the whole machine, the process lags even with a few calls.
 */
export const ALWAYS_SERVED = 128;
const LESS = 0.7;
const MORE = 1.2;

/**
 * Turns samples of the process into decisions. Refusing all new calls until the process has recovered would leave the
 * process idle one second and overloaded the next. Instead, a process that lags reduces its capacity by a third with
 * each sample, and then raises it again step by step.
 */
export class PressureGauge implements Pressure {
  readonly #onExhausted: () => void;
  #lateLooks = 0;
  #veryLateLooks = 0;
  #fullLooks = 0;
  #shedsBackground = false;
  #shedsUsual = false;
  room = Number.POSITIVE_INFINITY;

  /** `onExhausted` is called once, when memory is so full that only a restart helps. */
  constructor(onExhausted: () => void) {
    this.#onExhausted = onExhausted;
  }

  /** True if no sample has shown pressure since the process recovered. */
  get isCalm(): boolean {
    return !this.#shedsBackground && this.#lateLooks === 0 && this.room === Number.POSITIVE_INFINITY;
  }

  sheds(priority: CallPriority): boolean {
    return priority === "usual" ? this.#shedsUsual : this.#shedsBackground;
  }

  note(sample: PressureSample): void {
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
    // If the limit is well above the current demand, it can be lifted.
    else if (this.room > inFlight * 2 + ALWAYS_SERVED) this.room = Number.POSITIVE_INFINITY;
    else this.room = Math.ceil(this.room * MORE);
  }
}
