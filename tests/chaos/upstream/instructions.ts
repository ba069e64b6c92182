import { type ModelName, WORDS } from "../models.ts";

/** What a call asks of the upstream, written in its prompt. */
export interface Instructions {
  readonly nonce: string;
  /** Parts of a stream, and how long after each other they come. */
  readonly chunks: number;
  readonly gapMs: number;
  readonly tokensPerChunk: number;
  /** How long the first byte takes. */
  readonly delayMs: number;
  /** Bytes beside the text of each part, as providers add them to hide its length. */
  readonly padding?: number;
}

/** What the upstream remembers of a call, in a file that is only ever appended to. */
export interface UpstreamRecord {
  readonly nonce: string;
  readonly model: ModelName;
  /** Tokens that were written towards the gateway, whether or not anyone read them. */
  readonly delivered: number;
  readonly isComplete: boolean;
  /** The usage it reported, or null when it never did. */
  readonly reported: { readonly input: number; readonly output: number } | null;
  readonly endedAtMs: number;
}

/** What arrives at the upstream, as far as it looks. */
export interface ChatRequest {
  readonly model: ModelName;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly messages: readonly { readonly content: string }[];
}

/** Keeps what became of a call. */
export type Remember = (facts: Omit<UpstreamRecord, "nonce" | "model" | "endedAtMs">) => void;

const MARK = "instructions:";

/** The prompt that carries them. */
export const writePrompt = (instructions: Instructions): string => `${MARK}${JSON.stringify(instructions)}`;

/** The instructions of a prompt, or null when there are none. */
export function readPrompt(prompt: string): Instructions | null {
  return prompt.startsWith(MARK) ? (JSON.parse(prompt.slice(MARK.length)) as Instructions) : null;
}

/** So many tokens of text. */
export function textOf(tokens: number): string {
  let text = "";
  for (let token = 0; token < tokens; token += 1) text += ` ${WORDS[token % WORDS.length]}`;
  return text;
}
