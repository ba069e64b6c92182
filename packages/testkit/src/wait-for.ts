import { setTimeout as pause } from "node:timers/promises";

/** Ends a wait that would never end. A test that promises a time passes its own limit. */
const DEFAULT_LIMIT_MS = 60_000;
/**
 * Minimum number of checks within any limit. A promised time assumes a machine that isn't starved. A machine that takes
 * long for each check, or stops in the middle of one, gets the time that it needs for this number of checks.
 */
const MIN_CHECKS = 20;
const INTERVAL_MS = 5;
/** A lagging instance refuses more than 32 reads within 250 ms, so a long wait must not check as often as a short one. */
const LATER_INTERVAL_MS = 25;

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
  let spentMs = 0;
  for (let checks = 1; ; checks += 1) {
    const startedAtMs = performance.now();
    let cause: unknown;
    try {
      const value = await check();
      if (value) return value as Exclude<T, null | undefined | false | 0 | "">;
    } catch (error) {
      cause = error;
    }
    if (spentMs >= limitMs) throw new Error(`waited ${limitMs} ms for ${condition}`, { cause });
    await pause(checks < MIN_CHECKS ? INTERVAL_MS : LATER_INTERVAL_MS);
    spentMs += Math.min(performance.now() - startedAtMs, limitMs / MIN_CHECKS);
  }
}
