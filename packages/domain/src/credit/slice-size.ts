import type { NanoUsd } from "../money.ts";
import { larger, smaller } from "./amounts.ts";

const AHEAD_MS = 30_000;
const RATE_MEMORY_MS = 5_000;
const RATE_SAMPLE_MS = 250;
const LARGEST_MEMORY_MS = 30_000;

/** Computes how much idle credit to keep for an allowance: 30 seconds of recent spend, or twice its largest hold. */
export class SliceSize {
  #spentPerMs = 0;
  #sampledAtMs: number | null = null;
  #sampledCharged: NanoUsd = 0n;
  #largest: NanoUsd = 0n;
  #largestBefore: NanoUsd = 0n;
  #largestSinceMs = 0;

  /** Records the total charged so far, and the largest hold since `observe` was last called. */
  observe(nowMs: number, charged: NanoUsd, largestHold: NanoUsd): void {
    if (nowMs - this.#largestSinceMs > LARGEST_MEMORY_MS) {
      this.#largestBefore = nowMs - this.#largestSinceMs > 2 * LARGEST_MEMORY_MS ? 0n : this.#largest;
      this.#largest = 0n;
      this.#largestSinceMs = nowMs;
    }
    if (largestHold > this.#largest) this.#largest = largestHold;

    const elapsedMs = this.#sampledAtMs === null ? 0 : nowMs - this.#sampledAtMs;
    if (this.#sampledAtMs !== null && elapsedMs < RATE_SAMPLE_MS) return;
    if (elapsedMs > 0) {
      const weight = 1 - Math.exp(-elapsedMs / RATE_MEMORY_MS);
      this.#spentPerMs += weight * (Number(charged - this.#sampledCharged) / elapsedMs - this.#spentPerMs);
    }
    this.#sampledAtMs = nowMs;
    this.#sampledCharged = charged;
  }

  /** Returns the target for idle credit: at most half of this node's share of the balance. */
  target(balance: NanoUsd, liveNodes: number): NanoUsd {
    const ahead = BigInt(Math.ceil(this.#spentPerMs * AHEAD_MS));
    const wanted = larger(ahead, 2n * larger(this.#largest, this.#largestBefore));
    const share = balance > 0n ? balance / BigInt(2 * Math.max(1, liveNodes)) : 0n;
    return smaller(wanted, share);
  }
}
