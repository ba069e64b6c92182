import { Blocked, type Subject, type TextCheck, type TextWindow } from "./text-check.ts";
import { wholeCharacters } from "./whole-characters.ts";

/** Whoever is asked over the network is asked about so many characters at once, */
const WINDOW = 1_000;
/** of which the last are asked about again with what follows them. */
const OVERLAP = 100;

/** Asks about a growing text window by window; nothing leaves before it was asked about. */
export class ModerationWindow implements TextWindow {
  readonly #check: Pick<TextCheck, "look">;
  readonly #subject: Subject;
  #text = "";
  /** How much of it was asked about before. */
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
    // Nobody knows which part of what comes instead stands for the overlap, so all of it leaves.
    return this.#take(verdict.texts.join(""), 0);
  }

  #take(taken: string, kept: number): string {
    this.#text = this.#text.slice(this.#text.length - kept);
    this.#known = kept;
    return taken;
  }
}
