import { Blocked, type Subject, type TextCheck, type TextWindow } from "./text-check.ts";
import { wholeCharacters } from "./whole-characters.ts";

/** Number of characters per network check. */
const WINDOW = 1_000;
/** Number of trailing characters that the next check repeats. */
const OVERLAP = 100;

/** Checks a growing text window by window. Text is released only after it has been checked. */
export class ModerationWindow implements TextWindow {
  readonly #check: Pick<TextCheck, "look">;
  readonly #subject: Subject;
  #text = "";
  /** Number of characters that have already been checked. */
  #known = 0;

  constructor(check: Pick<TextCheck, "look">, subject: Subject) {
    this.#check = check;
    this.#subject = subject;
  }

  push(text: string): string | Promise<string> {
    this.#text += text;
    return this.#text.length - this.#known < WINDOW ? "" : this.#ask(OVERLAP);
  }

  end(): string | Promise<string> {
    return this.#text.length === this.#known ? this.giveUp() : this.#ask(0);
  }

  giveUp(): string {
    return this.#take(this.#text, 0);
  }

  async #ask(overlap: number): Promise<string> {
    const text = this.#text;
    const verdict = await this.#check.look([text], this.#subject);
    if (verdict === null) {
      const border = wholeCharacters(text, text.length - overlap);
      return this.#take(text.slice(0, border), text.length - border);
    }
    if (verdict.kind === "block") throw new Blocked(verdict);
    // It is unknown which part of a replacement corresponds to the overlap, so the whole replacement is released.
    return this.#take(verdict.texts.join(""), 0);
  }

  #take(taken: string, kept: number): string {
    this.#text = this.#text.slice(this.#text.length - kept);
    this.#known = kept;
    return taken;
  }
}
