/** Recalls are numbered by the clock, which no two ledgers share: here they are the first, the second and so on. */
export class RecallNames {
  readonly #numbers = new Map<string, number[]>();

  /** Which recall of its purse this number is; 0 for none. */
  nameOf(purse: string, number: number): number {
    if (number === 0) return 0;
    const numbers = this.#numbers.get(purse) ?? [];
    if (!numbers.includes(number)) numbers.push(number);
    this.#numbers.set(purse, numbers);
    return numbers.indexOf(number) + 1;
  }

  /** The number of the newest recall of a purse; 0 before the first. */
  newest(purse: string): number {
    return this.#numbers.get(purse)?.at(-1) ?? 0;
  }
}
