import type { PendingRange } from "./pending-batch.ts";
import { splitRange } from "./record-range.ts";

/** Events to deliver, in order. A batch never mixes origins, because its header names only one origin. */
export class RangeQueue {
  #ranges: PendingRange[] = [];

  push(range: PendingRange): void {
    if (range.count > 0) this.#ranges.push(range);
  }

  /** All events, in order. */
  get ranges(): readonly PendingRange[] {
    return this.#ranges;
  }

  /** Reports whether the next batch would be larger if more events were read. */
  canGrow(limit: number): boolean {
    const first = this.#ranges[0];
    let count = 0;
    for (const range of this.#ranges) {
      if (!isSameOrigin(range, first)) return false;
      count += range.count;
      if (count >= limit) return false;
    }
    return true;
  }

  /** Takes events of a single origin, up to the limit. */
  take(limit: number): readonly PendingRange[] {
    const taken: PendingRange[] = [];
    let left = limit;
    let end = 0;
    for (const range of this.#ranges) {
      if (left === 0 || !isSameOrigin(range, taken[0])) break;
      if (range.count > left) {
        const [head, tail] = splitRange(range, left);
        taken.push({ ...range, ...head });
        this.#ranges[end] = { ...range, ...tail };
        break;
      }
      taken.push(range);
      left -= range.count;
      end += 1;
    }
    this.#ranges = this.#ranges.slice(end);
    return taken;
  }
}

function isSameOrigin(range: PendingRange, other: PendingRange | undefined): boolean {
  if (other === undefined) return true;
  return range.origin.nodeId === other.origin.nodeId && range.origin.epoch === other.origin.epoch;
}
