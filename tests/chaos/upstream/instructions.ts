import { type ModelName, WORDS } from "../models.ts";

/** Instructions for the upstream, embedded in the prompt. */
export interface Instructions {
  readonly nonce: string;
  /** Number of parts of a stream, and the interval between them. */
  readonly chunks: number;
  readonly gapMs: number;
  readonly tokensPerChunk: number;
  /** Delay of the first byte. */
  readonly delayMs: number;
  /** Extra bytes per part, as providers add them to hide the text length. */
  readonly padding?: number;
}

/** Upstream's record of a call, in an append-only file. */
export interface UpstreamRecord {
  readonly nonce: string;
  readonly model: ModelName;
  /** Tokens that were written toward the gateway, whether or not they were read. */
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
