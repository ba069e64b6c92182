import type { Json, JsonFields, RunErrorCode, TurnUsage } from "./records.ts";

/** A call as the model gave it. Its own id is left behind: ours are of one form whatever the model. */
export interface ReadCall {
  readonly name: string;
  readonly arguments: string;
  readonly extra?: Json;
}

/** A whole answer of a model. */
export interface ReadTurn {
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly ReadCall[];
  readonly thoughts: readonly Json[];
  /** Null when the answer has no end. */
  readonly finish: string | null;
  /** Null when it was not told. */
  readonly usage: TurnUsage | null;
}

/** What a piece of a streamed answer adds. */
export type TurnDelta =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "refusal"; readonly value: string }
  | {
      readonly kind: "call";
      readonly index: number;
      /** Said once, with the first piece. */
      readonly name?: string;
      readonly arguments: string;
    };

/** A gateway's refusal, or the frame with which a stream breaks off. */
export interface TurnFailure {
  readonly code: RunErrorCode;
  readonly message: string;
  /** The prompt is longer than the model can take. */
  readonly isTooLong: boolean;
}

interface Call {
  name: string;
  arguments: string;
  extra?: Json;
}

// One answer never has more; what a broken upstream sends beyond is not kept.
const MAX_CALLS = 128;

/** Puts a model's answer together, from one body or from the pieces of a stream. */
export class TurnReader {
  #text = "";
  #refusal = "";
  readonly #calls: Call[] = [];
  readonly #thoughts: Json[] = [];
  #finish: string | null = null;
  #usage: TurnUsage | null = null;

  /** Takes a chat completion, or a chunk of one, and says what it adds. */
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
    // Pieces come in the order of their calls.
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

/** What became of a call that a gateway refused, from its status and body. */
export function readFailure(status: number, body: Json): TurnFailure {
  const error = fieldsOf(fieldsOf(body).error);
  const message = textOf(error.message) || "The model did not respond.";
  return { code: codeOf(status, error), message, isTooLong: error.code === "context_length_exceeded" };
}

function codeOf(status: number, { type }: JsonFields): RunErrorCode {
  if (status === 429 || type === "rate_limit_error" || type === "insufficient_quota") return "rate_limit_exceeded";
  // A stream that broke off has a status of success, so what is wrong is told by the error's family.
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
