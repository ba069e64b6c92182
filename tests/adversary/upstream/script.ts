/** Upstream behavior for one attempt, and its bill. */
export interface Script {
  readonly inputTokens: number;
  /** Visible text: number of frames, and one-token words per frame. */
  readonly frames: number;
  readonly wordsPerFrame: number;
  /** Reasoning tokens. They are generated before the text, billed as output, and never shown. */
  readonly hidden: number;
  /** Delay of the headers, and the pause after each frame. */
  readonly headDelayMs: number;
  readonly gapMs: number;
  /** Pause between the last visible frame and the usage. */
  readonly usageDelayMs: number;
  /** The usage of a stream also waits for this promise, if it is not null. */
  readonly usageAfter: Promise<void> | null;
  /** Number of frames before a pause of a second and a half; null for no pause. */
  readonly stallAfter: number | null;
  /** Extra bytes per frame, as some providers add them to hide the text length. */
  readonly padding: number;
  readonly usage: UsageReport;
  readonly fault: Fault;
  /** Bill after a disconnect: the complete output of the model, or only the part that was sent. */
  readonly onAbort: "bills all" | "bills what was sent";
  /** Model that responds, if it differs from the requested one. */
  readonly servedAs: string | null;
  /** Billed seconds of audio of a transcription. */
  readonly audioSeconds: number;
}

/** Usage report of the upstream. The bill is always for the generated tokens. */
export type UsageReport = "exact" | "none" | "twice" | "early" | "wrong types" | "impossible";

/** `malformed`: the output is generated and billed but cannot be parsed. `refuses`: 503, nothing is billed. */
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

/** Returns a script with the given changes to the default. */
export const script = (changes: Partial<Script> = {}): Script => ({ ...USUAL, ...changes });

const WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"] as const;

/** Returns text with this many tokens. Each word is one token, including the space before it. */
export function textOf(tokens: number): string {
  let text = "";
  for (let token = 0; token < tokens; token += 1) text += ` ${WORDS[token % WORDS.length]}`;
  return text;
}

/** Returns the output tokens of the whole response. */
export const outputOf = ({ frames, wordsPerFrame, hidden }: Script): number => frames * wordsPerFrame + hidden;
