/** Renumbers recalls in order, because each ledger derives their numbers from its own clock. */
export class RecallNames {
  readonly #numbers = new Map<string, number[]>();

  /** Returns the ordinal of this recall in its allowance; 0 if there is no recall. */
  nameOf(allowance: string, number: number): number {
    if (number === 0) return 0;
    const numbers = this.#numbers.get(allowance) ?? [];
    if (!numbers.includes(number)) numbers.push(number);
    this.#numbers.set(allowance, numbers);
    return numbers.indexOf(number) + 1;
  }

  /** Returns the number of an allowance's newest recall; 0 before the first recall. */
  newest(allowance: string): number {
    return this.#numbers.get(allowance)?.at(-1) ?? 0;
  }
}
