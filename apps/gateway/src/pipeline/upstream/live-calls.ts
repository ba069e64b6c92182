const CHECK_MS = 100;
const NOT_WATCHED = -1;

/** Something with a deadline. */
export abstract class HasDeadline {
  /** Its place among the live calls, kept by `LiveCalls`. */
  liveIndex = NOT_WATCHED;

  /** Called about ten times a second while the call lives. */
  abstract check(nowMs: number): void;
}

/**
 * Watches the deadlines of all running calls with one timer, where a timer each would cost memory and time. A plain
 * array, because a Set that is filled and emptied thousands of times a second keeps dead calls alive: each table it
 * outgrew points to the next, and the collector promotes whatever hangs on that chain (13 % of a call's time).
 */
export class LiveCalls {
  readonly #now: () => number;
  readonly #calls: HasDeadline[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(call: HasDeadline): void {
    call.liveIndex = this.#calls.length;
    this.#calls.push(call);
    this.#timer ??= setInterval(() => this.#checkAll(), CHECK_MS);
  }

  remove(call: HasDeadline): void {
    const index = call.liveIndex;
    if (index === NOT_WATCHED) return;
    call.liveIndex = NOT_WATCHED;
    const last = this.#calls.pop() as HasDeadline;
    if (last === call) return;
    this.#calls[index] = last;
    last.liveIndex = index;
  }

  #checkAll(): void {
    // Starting and stopping a timer with every quiet moment would cost more than letting it run once idle.
    if (this.#calls.length === 0) {
      if (this.#timer !== null) clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    const nowMs = this.#now();
    // From the end, because a check may remove its own call and the last one then takes its place.
    for (let index = this.#calls.length - 1; index >= 0; index -= 1) this.#calls[index]?.check(nowMs);
  }
}
