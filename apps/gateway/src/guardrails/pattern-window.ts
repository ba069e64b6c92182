import { blockFor } from "./block-for.ts";
import type { Span } from "./detector.ts";
import { maskSpans } from "./find-spans.ts";
import { Blocked, type TextWindow } from "./text-check.ts";
import { wholeCharacters } from "./whole-characters.ts";

/** Detects patterns in a text. */
interface PatternSource {
  find(text: string, position: number): readonly Span[] | Promise<readonly Span[]>;
  /** Returns the first position where a match may be incomplete. */
  openFrom(text: string): number;
}

/** Number of new characters that triggers a check. */
const STRIDE = 32;
/** Number of sent characters that stay visible as context, because word boundaries depend on them. */
const SEEN_BEFORE = 8;

/**
 * Detects patterns across the pieces of a text. The last characters are held back, because a match that starts there
 * may continue in the next piece. Earlier matches are complete, so the output is the same as for the whole text.
 */
export class PatternWindow implements TextWindow {
  readonly #source: PatternSource;
  readonly #reach: number;
  readonly #masks: boolean;
  /** The end of the sent text, followed by the text that has not been sent yet. */
  #text = "";
  #left = 0;
  #looked = 0;

  constructor(source: PatternSource, reach: number, masks: boolean) {
    this.#source = source;
    this.#reach = reach;
    this.#masks = masks;
  }

  push(text: string): string | Promise<string> {
    this.#text += text;
    if (this.#text.length - this.#looked < STRIDE || this.#source.openFrom(this.#text) <= this.#left) return "";
    this.#looked = this.#text.length;
    return this.#look(false);
  }

  end(): string | Promise<string> {
    return this.#text.length === this.#left ? "" : this.#look(true);
  }

  giveUp(): string {
    return this.#take([], this.#text.length);
  }

  #look(isWhole: boolean): string | Promise<string> {
    const found = this.#source.find(this.#text, this.#left);
    return found instanceof Promise
      ? found.then((spans) => this.#release(spans, isWhole))
      : this.#release(found, isWhole);
  }

  #release(spans: readonly Span[], isWhole: boolean): string {
    const { length } = this.#text;
    const border = isWhole ? length : this.#source.openFrom(this.#text);
    const complete = spans.filter(({ start }) => start < border);
    if (!this.#masks && complete.length > 0) throw new Blocked(blockFor(complete));
    const last = complete.at(-1);
    if (isWhole || last === undefined || last.end <= border)
      return this.#take(complete, wholeCharacters(this.#text, border));
    // A match that starts after the boundary may overlap and extend a match that starts before the boundary.
    if (last.start > this.#left) return this.#take(complete.slice(0, -1), last.start);
    return last.end - last.start > this.#reach ? this.#take(complete, last.end) : "";
  }

  #take(spans: readonly Span[], to: number): string {
    const taken = maskSpans(this.#text, spans, this.#left, to);
    const kept = Math.max(0, to - SEEN_BEFORE);
    this.#text = this.#text.slice(kept);
    this.#left = to - kept;
    this.#looked = Math.max(0, this.#looked - kept);
    return taken;
  }
}
