/** Keeps this process from reading anything, as a machine with too much to do keeps it from running. */
export function stall(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

/** Resolves where the event loop runs timers next, and reads only after them. */
export function beAtCheckPhase(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
