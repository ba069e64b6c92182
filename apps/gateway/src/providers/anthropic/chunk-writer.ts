import { toJsonBytes } from "../../wire/edit-body.ts";

export const DONE = "data: [DONE]\n\n";

/**
 * Writes the chunks of one chat stream. Text is passed as the contents of JSON strings, one character per byte, so that
 * the provider's text needs no decoding.
 */
export class ChunkWriter {
  readonly #head: string;
  readonly #usage: string;
  readonly #delta: string;
  readonly #deltaEnd: string;

  constructor(id: string, created: number, modelJson: string, wantsUsage: boolean) {
    const head = `data: {"id":${toJsonBytes(id)},"object":"chat.completion.chunk","created":${created},"model":${modelJson}`;
    // For clients that requested usage, every chunk except the last has a null `usage`.
    this.#usage = wantsUsage ? ',"usage":null' : "";
    this.#head = `${head},"choices":[`;
    this.#delta = `${head},"choices":[{"index":0,"delta":`;
    this.#deltaEnd = `,"finish_reason":null}]${this.#usage}}\n\n`;
  }

  role(): string {
    return `${this.#delta}{"role":"assistant","content":""},"logprobs":null${this.#deltaEnd}`;
  }

  content(escaped: string): string {
    return `${this.#delta}{"content":"${escaped}"}${this.#deltaEnd}`;
  }

  reasoning(escaped: string): string {
    return `${this.#delta}{"reasoning_content":"${escaped}"}${this.#deltaEnd}`;
  }

  /** Returns the chunk for a complete thinking block, which the client must send back unchanged. */
  thought(blockJson: string): string {
    return `${this.#delta}{"thinking_blocks":[${blockJson}]}${this.#deltaEnd}`;
  }

  toolCall(index: number, id: string, name: string): string {
    const called = `{"index":${index},"id":${toJsonBytes(id)},"type":"function","function":{"name":${toJsonBytes(name)},"arguments":""}}`;
    return `${this.#delta}{"tool_calls":[${called}]}${this.#deltaEnd}`;
  }

  toolArguments(index: number, escaped: string): string {
    return `${this.#delta}{"tool_calls":[{"index":${index},"function":{"arguments":"${escaped}"}}]}${this.#deltaEnd}`;
  }

  functionCall(name: string): string {
    return `${this.#delta}{"function_call":{"name":${toJsonBytes(name)},"arguments":""}}${this.#deltaEnd}`;
  }

  functionArguments(escaped: string): string {
    return `${this.#delta}{"function_call":{"arguments":"${escaped}"}}${this.#deltaEnd}`;
  }

  refusal(escaped: string): string {
    return `${this.#delta}{"refusal":"${escaped}"}${this.#deltaEnd}`;
  }

  finish(reason: string, tier: string | null): string {
    const tierJson = tier === null ? "" : `,"service_tier":${toJsonBytes(tier)}`;
    return `${this.#head}{"index":0,"delta":{},"finish_reason":"${reason}"}]${this.#usage}${tierJson}}\n\n`;
  }

  usage(usage: object): string {
    return `${this.#head}],"usage":${toJsonBytes(usage)}}\n\n`;
  }
}
