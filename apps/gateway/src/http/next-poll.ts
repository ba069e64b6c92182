/**
 * Resolves when the event loop has read all data that had arrived before the call. In a delayed process, timers fire
 * before any data is read, so code that is about to time out a client awaits this promise first.
 */
export function nextPoll(): Promise<void> {
  // The first callback may run in the current event loop turn, whose poll phase has already ended.
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
