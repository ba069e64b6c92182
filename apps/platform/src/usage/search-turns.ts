/** Maximum number of searches in progress. Each can have contents of 9 MB in memory. */
const MAX_SEARCHES = 10;
const MAX_SEARCHES_PER_USER = 2;

/**
 * Gives all searches of a process together at most half of its time, because the same process serves model requests.
 * Searches take turns, and each turn is followed by a pause that is as long as the turn was.
 */
export class SearchTurns {
  readonly #searchesOfUsers = new Map<number, number>();
  #searches = 0;
  #last: Promise<void> = Promise.resolve();

  /** Runs a search of a user. Returns null if too many searches are in progress. */
  async run<T>(userId: number, search: () => Promise<T>): Promise<T | null> {
    const own = this.#searchesOfUsers.get(userId) ?? 0;
    if (own >= MAX_SEARCHES_PER_USER || this.#searches >= MAX_SEARCHES) return null;
    this.#count(userId, 1);
    try {
      return await search();
    } finally {
      this.#count(userId, -1);
    }
  }

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

  #count(userId: number, change: 1 | -1): void {
    this.#searches += change;
    const own = (this.#searchesOfUsers.get(userId) ?? 0) + change;
    if (own === 0) this.#searchesOfUsers.delete(userId);
    else this.#searchesOfUsers.set(userId, own);
  }
}
