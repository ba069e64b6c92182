/**
 * Gives all searches of a process together at most half of its time, because the same process serves model requests.
 * Searches take turns, and each turn is followed by a pause that is as long as the turn was.
 */
export class SearchTurns {
  #last: Promise<void> = Promise.resolve();

  /** Runs one turn of a search, which must take only a few milliseconds, after the turns that were requested before. */
  async take<T>(turn: () => T): Promise<T> {
    const earlier = this.#last;
    const ended = Promise.withResolvers<void>();
    this.#last = ended.promise;
    await earlier;
    const startedAtMs = performance.now();
    try {
      return turn();
    } finally {
      setTimeout(ended.resolve, performance.now() - startedAtMs);
    }
  }
}
