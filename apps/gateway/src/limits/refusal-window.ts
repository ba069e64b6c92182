/** Minimum number and share of refusals in a window before it counts as overload. */
const FEW_REFUSALS = 2;
const PRESSING_PART = 0.1;

/** Outcomes of recent calls in short windows. For the previous window, only the verdict is stored. */
export class RefusalWindow {
  asked = 0;
  refused = 0;
  /** True if demand exceeded capacity in the last window. */
  isPressing = false;
  #sinceMs = 0;

  /** Ends a window whose time has passed, and reports whether it did. */
  roll(nowMs: number, windowMs: number): boolean {
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs < windowMs) return false;
    const isMuch = this.refused >= FEW_REFUSALS && this.refused >= this.asked * PRESSING_PART;
    // An old window says nothing about the current load.
    this.isPressing = isMuch && elapsedMs < windowMs * 4;
    this.#sinceMs = nowMs;
    this.asked = 0;
    this.refused = 0;
    return true;
  }
}
