import { setTimeout as pause } from "node:timers/promises";

/** Ends a wait that would never end. A test that promises a time passes its own limit. */
const DEFAULT_LIMIT_MS = 60_000;
const INTERVAL_MS = 5;

/**
 * Resolves with the first truthy result of `check`. On timeout, rejects with an error that contains the condition and
 * the last error.
 */
export async function waitFor<T>(
  condition: string,
  check: () => T | Promise<T>,
  options: { limitMs?: number } = {},
): Promise<Exclude<T, null | undefined | false | 0 | "">> {
  const limitMs = options.limitMs ?? DEFAULT_LIMIT_MS;
  const deadline = performance.now() + limitMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await check();
      if (value) return value as Exclude<T, null | undefined | false | 0 | "">;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms for ${condition}`, { cause });
    await pause(INTERVAL_MS);
  }
}
