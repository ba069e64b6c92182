import { Blocked, type Subject, type TextCheck, type TextWindow, type Verdict } from "./text-check.ts";

/** Bounds how long the texts of a request or an answer may be together. */
export class LengthCheck implements TextCheck {
  readonly #most: number;
  /** What streams have so far: each of their texts is counted against one bound. */
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
