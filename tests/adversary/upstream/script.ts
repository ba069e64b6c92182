/** What the upstream does with one attempt, and what it bills for it. */
export interface Script {
  readonly inputTokens: number;
  /** Visible text: frames, each with this many one-token words. */
  readonly frames: number;
  readonly wordsPerFrame: number;
  /** Reasoning tokens. They are generated before the text, billed as output, and never shown. */
  readonly hidden: number;
  /** How long the headers take, and the pause after each frame. */
  readonly headDelayMs: number;
  readonly gapMs: number;
  /** The pause between the last visible frame and the usage. */
  readonly usageDelayMs: number;
  /** The usage of a stream also waits for this; null: for nothing. */
  readonly usageAfter: Promise<void> | null;
  /** A pause of a second and a half after so many frames; null: none. */
  readonly stallAfter: number | null;
  /** Bytes beside the text of each frame, as some providers add them to hide its length. */
  readonly padding: number;
  readonly usage: UsageReport;
  readonly fault: Fault;
  /** What is billed after we disconnect: everything the model was asked for, or what was sent until then. */
  readonly onAbort: "bills all" | "bills what was sent";
  /** The model that answers, if it is another than the one that was asked. */
  readonly servedAs: string | null;
  /** Seconds of audio that a transcription was billed for. */
  readonly audioSeconds: number;
}

/** How usage is reported. Whatever is said, the bill is for what was generated. */
export type UsageReport = "exact" | "none" | "twice" | "early" | "wrong types" | "impossible";

/** `malformed`: the output is generated and billed, and what is sent cannot be read. `refuses`: 503, nothing is billed. */
export type Fault = "none" | "malformed" | "refuses" | "endless" | "ignores limit" | "silent";

const USUAL: Script = {
  inputTokens: 40,
  frames: 4,
  wordsPerFrame: 2,
  hidden: 0,
  headDelayMs: 0,
  gapMs: 0,
  usageDelayMs: 0,
  usageAfter: null,
  stallAfter: null,
  padding: 0,
  usage: "exact",
  fault: "none",
  onAbort: "bills all",
  servedAs: null,
  audioSeconds: 0,
};

/** A script with everything that is not given as usual. */
export const script = (changes: Partial<Script> = {}): Script => ({ ...USUAL, ...changes });

const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"] as const;

/** So many tokens of text: each word is one, with the blank before it. */
export function textOf(tokens: number): string {
  let text = "";
  for (let token = 0; token < tokens; token += 1) text += ` ${WORDS[token % WORDS.length]}`;
  return text;
}

/** Output tokens of the whole answer. */
export const outputOf = ({ frames, wordsPerFrame, hidden }: Script): number => frames * wordsPerFrame + hidden;
