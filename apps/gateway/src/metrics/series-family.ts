/**
 * Maximum number of series per metric. Additional series are counted together, because clients can send arbitrary
 * names.
 */
export const MAX_SERIES = 10_000;
const OTHER = "other";

/** Series of metrics with the same labels, one per combination of values. */
export class SeriesFamily<Series> {
  readonly #names: readonly string[];
  readonly #make: () => Series;
  readonly #byLabels = new Map<string, Series>();
  #other: Series | null = null;

  constructor(names: readonly string[], make: () => Series) {
    this.#names = names;
    this.#make = make;
  }

  /** Returns the series for these values, given in the order of the label names. */
  get(values: readonly string[]): Series {
    const labels = this.#write(values);
    const known = this.#byLabels.get(labels);
    if (known !== undefined) return known;
    if (this.#byLabels.size >= MAX_SERIES) {
      this.#other ??= this.#make();
      return this.#other;
    }
    const made = this.#make();
    this.#byLabels.set(labels, made);
    return made;
  }

  /** Yields each series with its labels in text format. */
  *entries(): Generator<readonly [labels: string, Series]> {
    yield* this.#byLabels;
    if (this.#other !== null) yield [this.#write(this.#names.map(() => OTHER)), this.#other];
  }

  #write(values: readonly string[]): string {
    return this.#names.map((name, index) => `${name}="${escapeValue(values[index] ?? "")}"`).join(",");
  }
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
