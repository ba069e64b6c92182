import { SlotMeter } from "./slot-meter.ts";
import { WindowMeter } from "./window-meter.ts";

const FIRST_SWEEP_SIZE = 4_096;

/** The meters of this process by key. If there are many meters, unused ones are dropped. */
export class Meters {
  readonly #windows = new Map<string, WindowMeter>();
  readonly #slots = new Map<string, SlotMeter>();
  readonly #now: () => number;
  #sweepAtSize = FIRST_SWEEP_SIZE;
  /**
   * Incremented when meters are dropped. Code that holds a meter then looks it up again, so that two meters never count
   * the same key.
   */
  generation = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  window(key: string): WindowMeter {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    this.#sweep();
    const meter = new WindowMeter(key);
    this.#windows.set(key, meter);
    return meter;
  }

  slots(key: string): SlotMeter {
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    this.#sweep();
    const meter = new SlotMeter(key);
    this.#slots.set(key, meter);
    return meter;
  }

  /** Yields all meters with counts that haven't been reported to the store. */
  *unreported(): Iterable<WindowMeter | SlotMeter> {
    for (const meter of this.#windows.values()) if (meter.owed !== 0) yield meter;
    for (const meter of this.#slots.values()) if (!meter.isIdle) yield meter;
  }

  #sweep(): void {
    const size = this.#windows.size + this.#slots.size;
    if (size < this.#sweepAtSize) return;
    const nowMs = this.#now();
    for (const [key, meter] of this.#windows) {
      meter.roll(nowMs);
      if (meter.isIdle) this.#windows.delete(key);
    }
    for (const [key, meter] of this.#slots) if (meter.isIdle) this.#slots.delete(key);
    const left = this.#windows.size + this.#slots.size;
    if (left < size) this.generation += 1;
    this.#sweepAtSize = Math.max(FIRST_SWEEP_SIZE, left * 2);
  }
}
