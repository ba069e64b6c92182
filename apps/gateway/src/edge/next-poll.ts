/**
 * Resolves when the event loop has read everything that has arrived by now. In a delayed process, timers fire before
 * any data is read, so code that is about to time out a client awaits this first.
 */
export function nextPoll(): Promise<void> {
  // The first callback may run in the current event loop turn, after its poll.
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
