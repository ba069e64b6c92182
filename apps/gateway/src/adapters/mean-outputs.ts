const FRESH_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface Remembered {
  readonly mean: Promise<number | null>;
  readonly askedAtMs: number;
}

/** Caches each model group's recent mean number of output tokens. A cached mean is used for one minute. */
export class MeanOutputs {
  readonly #read: (organizationId: string, group: string) => Promise<number | null>;
  readonly #now: () => number;
  readonly #byGroup = new Map<string, Remembered>();

  constructor(read: (organizationId: string, group: string) => Promise<number | null>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /**
   * Returns the mean in whole tokens, or null if the mean is unknown or the database is unavailable. A quote works
   * without history.
   */
  get(organizationId: string, group: string): Promise<number | null> {
    const key = `${organizationId}\n${group}`;
    const nowMs = this.#now();
    const known = this.#byGroup.get(key);
    if (known !== undefined && nowMs - known.askedAtMs < FRESH_MS) return known.mean;
    if (this.#byGroup.size >= MAX_REMEMBERED) this.#byGroup.clear();
    const mean = this.#read(organizationId, group).then(
      (tokens) => (tokens === null ? null : Math.ceil(tokens)),
      () => {
        this.#byGroup.delete(key);
        return null;
      },
    );
    this.#byGroup.set(key, { mean, askedAtMs: nowMs });
    return mean;
  }
}
