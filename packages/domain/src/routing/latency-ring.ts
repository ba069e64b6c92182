/** The most recent latencies of one target, each valid for a limited time. */
export class LatencyRing {
  readonly #values: Float64Array;
  readonly #atMs: Float64Array;
  #next = 0;
  #count = 0;

  constructor(size: number) {
    this.#values = new Float64Array(size);
    this.#atMs = new Float64Array(size);
  }

  get size(): number {
    return this.#values.length;
  }

  add(nowMs: number, value: number): void {
    this.#values[this.#next] = value;
    this.#atMs[this.#next] = nowMs;
    this.#next = (this.#next + 1) % this.#values.length;
    if (this.#count < this.#values.length) this.#count += 1;
  }

  /** Returns the mean of the valid latencies; 0 if there are none, so that unmeasured targets are tried. */
  mean(nowMs: number, ttlMs: number): number {
    let sum = 0;
    let counted = 0;
    for (let index = 0; index < this.#count; index += 1) {
      if (nowMs - (this.#atMs[index] ?? 0) > ttlMs) continue;
      sum += this.#values[index] ?? 0;
      counted += 1;
    }
    return counted === 0 ? 0 : sum / counted;
  }
}
