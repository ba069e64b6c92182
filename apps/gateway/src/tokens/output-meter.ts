import type { FindTexts, OutputCounter } from "../call/output-counter.ts";
import { countText } from "./count-text.ts";

/** Length at which text without a space is counted immediately. */
const WITHOUT_SPACES = 64;
const CHARACTERS_PER_TOKEN = 4;
/** Maximum buffered size, so that a fast stream cannot fill the memory between two checkpoints. */
const MAX_ASIDE = 256 * 1024;
/**
 * Maximum length of text to tokenize in full. Longer text is sampled, because counting blocks the event loop and an
 * approximate count is enough.
 */
const MAX_EXACT = 64 * 1024;
const SAMPLE = 16 * 1024;

/**
 * Counts the output tokens of a stream. At first, only buffers the sent bytes, because nearly every stream ends with a
 * usage report within a second.
 */
export class OutputMeter implements OutputCounter {
  readonly #findTexts: FindTexts;
  #sent: string[] = [];
  #waiting = "";
  #counted = 0;
  #isEmpty = true;
  #aside = 0;
  /**
   * Tokens per character, measured in samples of text that was too long to tokenize in full; null if no text was too
   * long.
   */
  #density: number | null = null;
  /** Total number of bytes sent, including all bytes around the text. */
  sentBytes = 0;

  constructor(findTexts: FindTexts) {
    this.#findTexts = findTexts;
  }

  /** Adds bytes of the response as the provider sent them. */
  add(sent: string): void {
    this.#sent.push(sent);
    this.sentBytes += sent.length;
    this.#aside += sent.length;
    if (this.#aside > MAX_ASIDE) this.#look();
  }

  /** Returns an estimate of the number of tokens, without counting. */
  get roughTokens(): number {
    this.#look();
    return this.#counted + Math.ceil(this.#waiting.length / CHARACTERS_PER_TOKEN);
  }

  /**
   * Counts the tokens up to the last word and releases the counted text, so that a long stream doesn't fill the memory.
   * The count must never be too high, because the caller is charged for it if this process dies.
   */
  checkpoint(): number {
    this.#look();
    // The count doesn't change if the text is split before a space.
    const cut = this.#waiting.lastIndexOf(" ");
    const end = cut > 0 ? cut : this.#waiting.length >= WITHOUT_SPACES ? this.#waiting.length : 0;
    this.#counted += this.#count(this.#waiting.slice(0, end));
    this.#waiting = this.#waiting.slice(end);
    return this.#counted + Math.floor(this.#waiting.length / CHARACTERS_PER_TOKEN);
  }

  /** Returns the number of tokens. */
  count(): number {
    this.#look();
    this.#counted += this.#count(this.#waiting);
    this.#waiting = "";
    return this.#isEmpty ? 0 : Math.max(1, this.#counted);
  }

  #look(): void {
    if (this.#sent.length === 0) return;
    for (const sent of this.#sent) this.#findTexts(sent, this.#take);
    this.#sent = [];
    this.#aside = 0;
    if (this.#waiting.length <= MAX_ASIDE) return;
    this.#counted += this.#count(this.#waiting);
    this.#waiting = "";
  }

  #count(escaped: string): number {
    if (escaped.length <= MAX_EXACT) return countEscaped(escaped);
    this.#density ??= countEscaped(escaped.slice(0, SAMPLE)) / SAMPLE;
    return Math.ceil(escaped.length * this.#density);
  }

  readonly #take = (escaped: string): void => {
    if (escaped === "") return;
    this.#waiting += escaped;
    this.#isEmpty = false;
  };
}

function countEscaped(escaped: string): number {
  if (escaped === "") return 0;
  return countText(Buffer.from(readEscapes(escaped), "latin1").toString("utf8"));
}

/** Decodes from left to right in one pass, so that an escaped backslash isn't read as the start of the next escape. */
function readEscapes(escaped: string): string {
  if (!escaped.includes("\\")) return escaped;
  return escaped.replace(
    /\\(?:u([0-9a-fA-F]{4})(?:\\u([0-9a-fA-F]{4}))?|(.))/g,
    (_, first: string | undefined, second: string | undefined, name: string) => {
      if (first === undefined) return simpleEscapes[name] ?? name;
      const units = second === undefined ? [first] : [first, second];
      return toBytes(String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))));
    },
  );
}

const simpleEscapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Encodes text one character per byte. */
function toBytes(text: string): string {
  return Buffer.from(text.toWellFormed(), "utf8").toString("latin1");
}
