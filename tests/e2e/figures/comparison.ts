/** One source's value of a figure, as the source shows it. */
export type Value = string | number | bigint | boolean | null | undefined;

/** Compares the figures of all sources. Every compared value counts once, under a name that says where it was read. */
export class Comparison {
  readonly #names = new Set<string>();
  readonly #differences: string[] = [];

  get compared(): number {
    return this.#names.size;
  }

  get differences(): readonly string[] {
    return this.#differences;
  }

  /** Compares a source's value with the one that follows from the rows. `figure` is unique among all figures. */
  compare(source: string, figure: string, actual: Value, expected: Value): void {
    const name = `${source}: ${figure}`;
    if (this.#names.has(name)) throw new Error(`${name} is compared twice`);
    this.#names.add(name);
    if (actual !== expected) this.differ(name, `${show(actual)}, but the rows have ${show(expected)}`);
  }

  /** Like `compare`, for figures that depend on the time at which the server computed them. */
  compareBetween(source: string, figure: string, actual: number, [one, other]: readonly [number, number]): void {
    const [low, high] = one < other ? [one, other] : [other, one];
    const isBetween = actual >= low && actual <= high;
    this.compare(source, figure, isBetween ? "as in the rows" : `${actual}`, "as in the rows");
  }

  /** Records something that differs without two values, such as a page that could not be read. */
  differ(name: string, problem: string): void {
    this.#differences.push(`${name}: ${problem}`);
  }
}

const show = (value: Value): string => (typeof value === "string" ? JSON.stringify(value) : String(value));
