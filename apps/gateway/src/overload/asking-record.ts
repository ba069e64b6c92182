/** From so many refusals on, and this part of all calls, it is not chance any more. */
const FEW_REFUSALS = 2;
const PRESSING_PART = 0.1;

/** How calls fared lately, in short windows; nothing is kept of the one before but what it came to. */
export class RefusalWindow {
  asked = 0;
  refused = 0;
  /** Whether more was asked for than could be given. */
  isPressing = false;
  #sinceMs = 0;

  /** Ends a window that is over, and tells whether one was. */
  roll(nowMs: number, windowMs: number): boolean {
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs < windowMs) return false;
    const isMuch = this.refused >= FEW_REFUSALS && this.refused >= this.asked * PRESSING_PART;
    // What was long ago says nothing about now.
    this.isPressing = isMuch && elapsedMs < windowMs * 4;
    this.#sinceMs = nowMs;
    this.asked = 0;
    this.refused = 0;
    return true;
  }
}
