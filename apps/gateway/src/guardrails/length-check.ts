import { Blocked, type Subject, type TextCheck, type TextWindow, type Verdict } from "./text-check.ts";

/** Limits the total length of the text in a request or response. */
export class LengthCheck implements TextCheck {
  readonly #most: number;
  /** Number of characters so far in each stream, because all text in a stream shares one limit. */
  readonly #seen = new WeakMap<Subject, number>();

  constructor(mostCharacters: number) {
    this.#most = mostCharacters;
  }

  look(texts: readonly string[]): Verdict | null {
    return this.#judge(texts.reduce((sum, { length }) => sum + length, 0));
  }

  openWindow(subject: Subject): TextWindow {
    return {
      push: (text) => {
        const seen = (this.#seen.get(subject) ?? 0) + text.length;
        this.#seen.set(subject, seen);
        const verdict = this.#judge(seen);
        if (verdict !== null) throw new Blocked(verdict);
        return text;
      },
      end: () => "",
      giveUp: () => "",
    };
  }

  #judge(characters: number): Extract<Verdict, { kind: "block" }> | null {
    if (characters <= this.#most) return null;
    const reason = `longer than ${this.#most} characters`;
    return { kind: "block", reason, fields: { max_characters: this.#most } };
  }
}
