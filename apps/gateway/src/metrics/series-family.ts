/** Beyond so many series of a metric the rest is counted together: clients invent names without end. */
export const MAX_SERIES = 10_000;
const OTHER = "other";

/** The series of metrics that share their labels, one for each combination of values. */
export class SeriesFamily<Series> {
  readonly #names: readonly string[];
  readonly #make: () => Series;
  readonly #byLabels = new Map<string, Series>();
  #other: Series | null = null;

  constructor(names: readonly string[], make: () => Series) {
    this.#names = names;
    this.#make = make;
  }

  /** The series of these values, in the order of the names. */
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

  /** Each series under its labels as the text form writes them. */
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
