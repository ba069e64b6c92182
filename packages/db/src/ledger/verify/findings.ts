import type { CheckReport, Difference } from "./invariant.ts";

const MAX_SHOWN = 100;

/** Differences of one check. */
export class Findings {
  #count = 0;
  readonly #shown: Difference[] = [];

  add(subject: string, expected: string, found: string, organizationId: string | null = null): void {
    this.#count += 1;
    if (this.#shown.length < MAX_SHOWN) this.#shown.push({ organizationId, subject, expected, found, amount: null });
  }

  report(id: string, title: string, checked: number): CheckReport {
    const differing = this.#count;
    return { id, title, ok: differing === 0, checked: BigInt(checked), differing, differences: this.#shown };
  }
}
