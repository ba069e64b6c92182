import { CallLog } from "@tollgate/contracts/management/usage.ts";
import { writeAnswer } from "@tollgate/contracts/management/write-answer.ts";
import type { CallFilter } from "@tollgate/db/usage/call-filter.ts";
import { matchesCall } from "@tollgate/db/usage/matches-call.ts";
import type { CallRow } from "@tollgate/db/usage/read-calls.ts";
import { toCallLog } from "./call-log.ts";

const MAX_PER_SECOND = 50;
const SECOND_MS = 1_000;

/** Converts new calls to the text that one stream sends. */
export class CallEvents {
  /** Filter for the calls to send. While the filter is null, no calls are sent. */
  filter: CallFilter | null;
  readonly #now: () => number;
  readonly #waiting: string[] = [];
  #skipped = 0;
  #secondStartMs = Number.NEGATIVE_INFINITY;
  #sentThisSecond = 0;
  #isEnded = false;
  #wake = Promise.withResolvers<void>();

  constructor(filter: CallFilter, now: () => number) {
    this.filter = filter;
    this.#now = now;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  add(calls: readonly CallRow[], unread: number): void {
    const { filter } = this;
    if (filter === null) return;
    const matching = calls.filter((call) => matchesCall(filter, call));
    const room = this.#roomNow();
    // Keep the latest calls of a burst, because viewers want to see what is happening now.
    const shown = room === 0 ? [] : matching.slice(-room);
    this.#sentThisSecond += shown.length;
    this.#skipped += matching.length - shown.length + unread;
    for (const call of shown) this.#waiting.push(toEvent("call", writeAnswer(CallLog, toCallLog(call))));
    if (shown.length > 0 || this.#skipped > 0) this.#wake.resolve();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake.resolve();
  }

  /** Waits up to `limitMs` for text to send. Returns an empty string on timeout. */
  async take(limitMs: number): Promise<string> {
    const timer = setTimeout(() => this.#wake.resolve(), limitMs);
    await this.#wake.promise;
    clearTimeout(timer);
    this.#wake = Promise.withResolvers();
    if (this.#skipped > 0) this.#waiting.push(toEvent("skipped", JSON.stringify({ count: this.#skipped })));
    this.#skipped = 0;
    return this.#waiting.splice(0).join("");
  }

  /**
   * Returns how many calls can be sent now. Calls above this number, and calls that a slow reader can't keep up with,
   * are skipped.
   */
  #roomNow(): number {
    const nowMs = this.#now();
    if (nowMs - this.#secondStartMs >= SECOND_MS) {
      this.#secondStartMs = nowMs;
      this.#sentThisSecond = 0;
    }
    return Math.max(0, MAX_PER_SECOND - this.#sentThisSecond - this.#waiting.length);
  }
}

/** Formats one server-sent event. The data is JSON, so it has no line breaks. */
export const toEvent = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`;
