/** A timer set for longer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface TimeLimit {
  /** Fires when the time is over. */
  readonly signal: AbortSignal;
  /** To be called once it is no longer needed: a timer holds everything that it would end, however long it is set. */
  clear(): void;
}

/** A limit of hours for something that mostly takes seconds. */
export function startTimeLimit(milliseconds: number): TimeLimit {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.min(Math.ceil(milliseconds), MAX_TIMER_MS));
  timer.unref();
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
