/** Maximum timer duration. A longer timer would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface TimeLimit {
  /** Fires when the time limit is reached. */
  readonly signal: AbortSignal;
  /** Must be called when the limit is no longer needed: a pending timer retains everything it would abort. */
  clear(): void;
}

/** Starts a time limit. The limit may be hours for work that usually takes seconds. */
export function startTimeLimit(milliseconds: number): TimeLimit {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.min(Math.ceil(milliseconds), MAX_TIMER_MS));
  timer.unref();
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
