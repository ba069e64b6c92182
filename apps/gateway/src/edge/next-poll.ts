/**
 * Resolves when the event loop has read everything that has arrived by now. In a process that ran late, timers are due
 * before anything has been read, so code that is about to give up on a client awaits this first.
 */
export function nextPoll(): Promise<void> {
  // The first callback may run in this turn of the loop, after its poll.
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
