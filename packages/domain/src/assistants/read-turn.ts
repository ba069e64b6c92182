import type { NanoUsd } from "../money.ts";
import type { ChargedUsage, Json, JsonFields, RunErrorCode, TurnUsage } from "./records.ts";
import { type AssembledCall, readFragment, ToolCallAssembler } from "./tool-call-assembler.ts";

/** A complete model response. */
export interface ReadTurn {
  readonly text: string;
  readonly refusal: string;
  /** Tool calls from the model, without the model's own IDs, so that all IDs have one format. */
  readonly calls: readonly AssembledCall[];
  readonly thoughts: readonly Json[];
  /** Finish reason; null if the response was truncated. */
  readonly finish: string | null;
  /** Null if the provider reported no usage. */
  readonly usage: TurnUsage | null;
  /** What the gateway charges for the response; null if it did not report that with the usage. */
  readonly cost: NanoUsd | null;
}

/** The content that one chunk of a streamed response adds. */
export type TurnDelta =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "refusal"; readonly value: string }
  | {
      readonly kind: "call";
      /** Position of the call in the response, from 0. */
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

/** Assembles a model response from one body or from stream chunks. */
export class TurnReader {
  #text = "";
  #refusal = "";
  readonly #calls = new ToolCallAssembler();
  readonly #thoughts: Json[] = [];
  #finish: string | null = null;
  #usage: ChargedUsage | null = null;

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
    const isWhole = choice.message !== undefined;
    for (const [place, piece] of listOf(said.tool_calls).entries()) {
      const fields = fieldsOf(piece);
      const fragment = readFragment(fields, fieldsOf(fields.function));
      const delta = isWhole ? this.#calls.addWhole(fragment) : this.#calls.add(fragment, place);
      if (delta === null) continue;
      const { position, ...added } = delta;
      deltas.push({ kind: "call", index: position, ...added });
    }
    if (typeof choice.finish_reason === "string") this.#finish = choice.finish_reason;
    return deltas;
  }

  read(): ReadTurn {
    return {
      text: this.#text,
      refusal: this.#refusal,
      calls: this.#calls.calls,
      thoughts: this.#thoughts,
      finish: this.#finish,
      usage: this.#usage && { promptTokens: this.#usage.promptTokens, completionTokens: this.#usage.completionTokens },
      cost: this.#usage?.cost ?? null,
    };
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

/** Reads a usage report. The gateway's own report replaces that of the provider, and contains the charge. */
function readUsage(usage: Json | undefined): ChargedUsage | null {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, cost_nano_usd: cost } = fieldsOf(usage);
  if (typeof promptTokens !== "number" || typeof completionTokens !== "number") return null;
  return { promptTokens, completionTokens, cost: Number.isSafeInteger(cost) ? BigInt(cost as number) : null };
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
