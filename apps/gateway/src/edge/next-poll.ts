/**
 * Resolves when the event loop has read what had arrived by now. A process that ran late finds its timers due before it
 * has read anything, so whoever is about to give up on a client waits for this first.
 */
export function nextPoll(): Promise<void> {
  // The first may come in this turn of the loop, after its poll.
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
