/** Upstream behavior for one attempt, and how the attempt is billed. */
export interface Script {
  readonly inputTokens: number;
  /** Visible text: number of frames, and one-token words per frame. */
  readonly frames: number;
  readonly wordsPerFrame: number;
  /** Number of reasoning tokens, which are generated before the text, billed as output, and never shown. */
  readonly hidden: number;
  /** Delay before the headers, and pause after each frame. */
  readonly headDelayMs: number;
  readonly gapMs: number;
  /** Pause between the last visible frame and the usage. */
  readonly usageDelayMs: number;
  /** A promise that the upstream also awaits before it sends a stream's usage; null for none. */
  readonly usageAfter: Promise<void> | null;
  /** Number of frames before a 1.5-second pause; null for no pause. */
  readonly stallAfter: number | null;
  /** Padding bytes per frame, which some providers add to hide the text length. */
  readonly padding: number;
  readonly usage: UsageReport;
  readonly fault: Fault;
  /** Output that is billed after a disconnect: the model's complete output, or only the output that was sent. */
  readonly onAbort: "bills all" | "bills what was sent";
  /** Model that the response names, if it differs from the requested model. */
  readonly servedAs: string | null;
  /** Seconds of audio that are billed for a transcription. */
  readonly audioSeconds: number;
}

/** The way in which the upstream reports usage. The bill is always for the tokens that were generated. */
export type UsageReport = "exact" | "none" | "twice" | "early" | "wrong types" | "impossible";

/**
 * `malformed`: the output is generated and billed, but cannot be parsed. `refuses`: the response is a 503, and the
 * attempt is not billed.
 */
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

/** Returns the default script with the given changes. */
export const script = (changes: Partial<Script> = {}): Script => ({ ...USUAL, ...changes });

const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"] as const;

/** Returns text with this many tokens. Each word is one token, including the space before it. */
export function textOf(tokens: number): string {
  let text = "";
  for (let token = 0; token < tokens; token += 1) text += ` ${WORDS[token % WORDS.length]}`;
  return text;
}

/** Returns the number of output tokens in the whole response. */
export const outputOf = ({ frames, wordsPerFrame, hidden }: Script): number => frames * wordsPerFrame + hidden;
