import { type ModelName, WORDS } from "../models.ts";

/** Instructions for the upstream, embedded in the prompt. */
export interface Instructions {
  readonly nonce: string;
  /** Number of chunks in a stream, and the interval between them. */
  readonly chunks: number;
  readonly gapMs: number;
  readonly tokensPerChunk: number;
  /** Delay before the first byte. */
  readonly delayMs: number;
  /** Padding bytes per chunk, which some providers add to hide the text length. */
  readonly padding?: number;
}

/** The upstream's record of a call, stored in an append-only file. */
export interface UpstreamRecord {
  readonly nonce: string;
  readonly model: ModelName;
  /** Number of tokens that were written to the connection, whether or not the gateway read them. */
  readonly delivered: number;
  readonly isComplete: boolean;
  /** Reported usage, or null if none was reported. */
  readonly reported: { readonly input: number; readonly output: number } | null;
  readonly endedAtMs: number;
}

/** Request fields that the upstream reads. */
export interface ChatRequest {
  readonly model: ModelName;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly messages: readonly { readonly content: string }[];
}

/** Records the outcome of a call. */
export type Remember = (facts: Omit<UpstreamRecord, "nonce" | "model" | "endedAtMs">) => void;

const MARK = "instructions:";

/** Returns the prompt with the instructions. */
export const writePrompt = (instructions: Instructions): string => `${MARK}${JSON.stringify(instructions)}`;

/** Returns the instructions in a prompt, or null if there are none. */
export function readPrompt(prompt: string): Instructions | null {
  return prompt.startsWith(MARK) ? (JSON.parse(prompt.slice(MARK.length)) as Instructions) : null;
}

/** Returns text with this many tokens. */
export function textOf(tokens: number): string {
  let text = "";
  for (let token = 0; token < tokens; token += 1) text += ` ${WORDS[token % WORDS.length]}`;
  return text;
}
