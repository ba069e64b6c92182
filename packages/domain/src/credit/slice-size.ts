import type { NanoUsd } from "../money.ts";
import { larger, smaller } from "./amounts.ts";

const AHEAD_MS = 30_000;
/**
 * How long the rate of spend is remembered. A rate that falls is remembered longer, because spend also falls while calls
 * are refused for want of a lease, and the next lease must not be small because of that.
 */
const RATE_MEMORY_MS = { rising: 5_000, falling: 30_000 };
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
      const change = Number(charged - this.#sampledCharged) / elapsedMs - this.#spentPerMs;
      const memoryMs = change > 0 ? RATE_MEMORY_MS.rising : RATE_MEMORY_MS.falling;
      this.#spentPerMs += (1 - Math.exp(-elapsedMs / memoryMs)) * change;
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
