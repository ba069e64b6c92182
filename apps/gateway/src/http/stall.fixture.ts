/** Blocks the event loop, as an overloaded machine would. */
export function stall(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

/** Resolves at a point where the event loop runs timers before it reads sockets again. */
export function beAtCheckPhase(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
