import type { Json, JsonFields, RunErrorCode, TurnUsage } from "./records.ts";

/** A tool call from the model. The model's own ID is dropped, so that all IDs have one format. */
interface ReadCall {
  readonly name: string;
  readonly arguments: string;
  readonly extra?: Json;
}

/** A complete model response. */
export interface ReadTurn {
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly ReadCall[];
  readonly thoughts: readonly Json[];
  /** Finish reason; null if the response was truncated. */
  readonly finish: string | null;
  /** Null if the provider reported no usage. */
  readonly usage: TurnUsage | null;
}

/** The content that one chunk of a streamed response adds. */
export type TurnDelta =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "refusal"; readonly value: string }
  | {
      readonly kind: "call";
      readonly index: number;
      /** Present only in the first delta of a call. */
      readonly name?: string;
      readonly arguments: string;
    };

/** An error response from the gateway, or the error frame that ends a stream early. */
export interface TurnFailure {
  readonly code: RunErrorCode;
  readonly message: string;
  /** True if the prompt exceeds the model's context window. */
  readonly isTooLong: boolean;
}

interface Call {
  name: string;
  arguments: string;
  extra?: Json;
}

// No valid response has more calls. Extra calls from a faulty upstream are dropped.
const MAX_CALLS = 128;

/** Assembles a model response from one body or from stream chunks. */
export class TurnReader {
  #text = "";
  #refusal = "";
  readonly #calls: Call[] = [];
  readonly #thoughts: Json[] = [];
  #finish: string | null = null;
  #usage: TurnUsage | null = null;

  /** Adds a chat completion, or one chunk of it, and returns the content it adds. */
  add(body: JsonFields): readonly TurnDelta[] {
    this.#usage = readUsage(body.usage) ?? this.#usage;
    const choice = fieldsOf(listOf(body.choices)[0]);
    const said = fieldsOf(choice.message ?? choice.delta);
    const deltas: TurnDelta[] = [];
    const text = textOf(said.content);
    if (text !== "") deltas.push({ kind: "text", value: text });
    const refusal = textOf(said.refusal);
    if (refusal !== "") deltas.push({ kind: "refusal", value: refusal });
    this.#text += text;
    this.#refusal += refusal;
    this.#thoughts.push(...listOf(said.thinking_blocks));
    for (const [position, piece] of listOf(said.tool_calls).entries()) {
      const delta = this.#addCall(fieldsOf(piece), position);
      if (delta !== null) deltas.push(delta);
    }
    if (typeof choice.finish_reason === "string") this.#finish = choice.finish_reason;
    return deltas;
  }

  read(): ReadTurn {
    return {
      text: this.#text,
      refusal: this.#refusal,
      calls: this.#calls.filter((call) => call !== undefined),
      thoughts: this.#thoughts,
      finish: this.#finish,
      usage: this.#usage,
    };
  }

  #addCall(piece: JsonFields, position: number): TurnDelta | null {
    const index = typeof piece.index === "number" ? piece.index : position;
    // Deltas arrive in the order of their calls.
    if (!Number.isInteger(index) || index < 0 || index > this.#calls.length || index >= MAX_CALLS) return null;
    const called = fieldsOf(piece.function);
    const call = this.#calls[index] ?? { name: "", arguments: "" };
    const isNew = this.#calls[index] === undefined;
    this.#calls[index] = call;
    const added = textOf(called.arguments);
    if (isNew) call.name = textOf(called.name);
    call.arguments += added;
    if (piece.extra_content !== undefined) call.extra = piece.extra_content;
    return { kind: "call", index, ...(isNew && { name: call.name }), arguments: added };
  }
}

/** Converts a gateway error response to a run failure, based on its status and body. */
export function readFailure(status: number, body: Json): TurnFailure {
  const error = fieldsOf(fieldsOf(body).error);
  const message = textOf(error.message) || "The model did not respond.";
  return { code: codeOf(status, error), message, isTooLong: error.code === "context_length_exceeded" };
}

function codeOf(status: number, { type }: JsonFields): RunErrorCode {
  if (status === 429 || type === "rate_limit_error" || type === "insufficient_quota") return "rate_limit_exceeded";
  // A stream that failed midway has a success status, so the error type decides.
  if (status === 400 || (status === 200 && type === "invalid_request_error")) return "invalid_prompt";
  return "server_error";
}

function readUsage(usage: Json | undefined): TurnUsage | null {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = fieldsOf(usage);
  if (typeof promptTokens !== "number" || typeof completionTokens !== "number") return null;
  return { promptTokens, completionTokens };
}

function fieldsOf(value: Json | undefined): JsonFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
