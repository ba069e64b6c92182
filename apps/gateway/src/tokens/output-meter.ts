import { countText } from "./count-text.ts";

/** A text of this length without a space is one that has none, and is counted as it stands. */
const WITHOUT_SPACES = 64;
const CHARACTERS_PER_TOKEN = 4;
/** What may be put aside before it is looked at: no stream, however fast, may fill the memory between two checkpoints. */
const MAX_ASIDE = 256 * 1024;
/** A longer text is counted by a sample of it: nobody needs the exact count, but all calls the loop. */
const MAX_EXACT = 64 * 1024;
const SAMPLE = 16 * 1024;

/** Finds the texts of an answer in what a provider sent, each a JSON string without its quotes, one character per byte. */
export type FindTexts = (sent: string, found: (escaped: string) => void) => void;

/**
 * Counts what a stream has delivered. What was sent is only put aside, because nearly every stream ends with a report of
 * its own within a second and is never looked at here.
 */
export class OutputMeter {
  readonly #findTexts: FindTexts;
  #sent: string[] = [];
  #waiting = "";
  #counted = 0;
  #isEmpty = true;
  #aside = 0;
  /** Tokens for each character of a text that was too long to count; null before there was one. */
  #density: number | null = null;
  /** How much was sent in all, with everything around the text. */
  sentBytes = 0;

  constructor(findTexts: FindTexts) {
    this.#findTexts = findTexts;
  }

  /** More of the answer, as the provider sent it. */
  add(sent: string): void {
    this.#sent.push(sent);
    this.sentBytes += sent.length;
    this.#aside += sent.length;
    if (this.#aside > MAX_ASIDE) this.#look();
  }

  /** About how many tokens there are, without counting them. */
  get roughTokens(): number {
    this.#look();
    return this.#counted + Math.ceil(this.#waiting.length / CHARACTERS_PER_TOKEN);
  }

  /**
   * The same, counted up to the last word, and lets go of what was counted, so that a long stream does not keep what it
   * said. Never more than there are: should this process die, it is what the caller is charged.
   */
  checkpoint(): number {
    this.#look();
    // Words are counted alike wherever the text is cut in front of a space.
    const cut = this.#waiting.lastIndexOf(" ");
    const end = cut > 0 ? cut : this.#waiting.length >= WITHOUT_SPACES ? this.#waiting.length : 0;
    this.#counted += this.#count(this.#waiting.slice(0, end));
    this.#waiting = this.#waiting.slice(end);
    return this.#counted + Math.floor(this.#waiting.length / CHARACTERS_PER_TOKEN);
  }

  /** How many tokens there are. */
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

/** From left to right in one pass, so that an escaped backslash is not taken for the beginning of what follows it. */
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

/** Text as bytes, one character each, like everything around it. */
function toBytes(text: string): string {
  return Buffer.from(text.toWellFormed(), "utf8").toString("latin1");
}
