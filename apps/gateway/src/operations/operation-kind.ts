import type { Failure } from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { CallPriority } from "../overload/pressure.ts";
import type { Priced } from "../pipeline/account/priced-as.ts";
import type { Call } from "../pipeline/call.ts";
import type { FindTexts } from "../tokens/output-meter.ts";

/** The inference operations, by their names in the ledger. */
export type OperationName =
  | "chat.completions"
  | "completions"
  | "embeddings"
  | "moderations"
  | "audio.speech"
  | "audio.transcriptions"
  | "images.generations"
  | "messages"
  | "responses"
  | "rerank";

/** The form of the response: complete, server-sent events, or a stream of bytes. */
export type AnswerForm = "whole" | "events" | "bytes";

/** The fields of an operation's request, by how they are handled. */
export interface OperationFields {
  /** The request's main content. Always sent to the model. */
  readonly required: readonly string[];
  /** Parameters that a model may or may not support. */
  readonly params: ReadonlySet<string>;
  /**
   * Fields that determine which model responds, in which form, and at what cost. These fields must be at the top level
   * of the body.
   */
  readonly settled: ReadonlySet<string>;
  /** Fields that the gateway reads itself, for this operation only. */
  readonly own?: readonly string[];
}

/** Parts of a request whose size in bytes doesn't predict their tokens. */
export interface PartTokens {
  readonly bytes: number;
  readonly tokens: number;
  /** Number of images. Their tokens depend on the model. */
  readonly images: number;
  /** True if the input or the output has audio. */
  readonly hasAudio: boolean;
  /**
   * True if a part can have any number of tokens, such as a video, a document, or a file that only the provider reads.
   * The hold then covers the model's context window, and a report up to the context window is possible.
   */
  readonly isUnbounded: boolean;
}

export const NO_PARTS: PartTokens = { bytes: 0, tokens: 0, images: 0, hasAudio: false, isUnbounded: false };

/** An error format that differs from OpenAI's, for failures and for streams that end early. */
export interface ErrorFormat {
  /** Returns the body of a failed call, as JSON text. */
  failureBody(failure: Failure, callId: string): string;
  /**
   * Returns, as bytes, the frames that end a stream after a failure. A stream reader may provide more specific frames.
   */
  failureFrames(failure: Failure, callId: string): string;
  /** The response header in which clients expect the call ID. */
  readonly callIdHeader?: string;
  /** The frame that keeps an idle stream open, if a comment isn't suitable. */
  readonly keepAlive?: string;
}

type BodySchema = NonNullable<OperationDescription["body"]>;

/**
 * The properties that distinguish one inference operation from another. The steps of a call are the same for all
 * operations.
 */
export interface OperationKind<Request extends InferenceRequest = InferenceRequest> {
  readonly name: OperationName;
  readonly fields: OperationFields;
  /** The priority for shedding load. Defaults to `usual`, the priority of operations whose responses users wait for. */
  readonly priority?: CallPriority;
  /** The request schema, and the schema for requests whose model is set outside the body. */
  readonly schema: BodySchema;
  readonly schemaForModel: BodySchema;
  /** True if the query string can name the model. A model in the query overrides the model in the body. */
  readonly takesModelInQuery?: boolean;
  /** True if the request is a form with a file. */
  readonly isForm?: boolean;
  /** The error format, if clients don't expect OpenAI's. */
  readonly words?: ErrorFormat;
  /**
   * True if the request is retained until the end of the call, because the usage can't be computed without the request.
   */
  readonly keepsRequest?: boolean;
  /** The parameters that limit the output. Defaults to the chat parameters. */
  readonly limitParams?: readonly string[];
  /** True if a call may continue an earlier call. The earlier turns are loaded before the call is validated. */
  readonly hasConversation?: boolean;
  /** True if responses are model-written text, whose length is limited in tokens. */
  readonly writesText?: boolean;
  /** Finds the text in stream frames, for saving responses. Defaults to the chat format. */
  readonly findTexts?: FindTexts;
  /** Returns the end-user ID from the request, as bytes. Defaults to the `user` field. */
  endUserOf?(request: Request): string | null | undefined;
  /**
   * Checks the rules that a schema can't express. The request's strings are bytes here, so compare them but never
   * display them.
   */
  check(request: Request): void;
  /** Returns the caller's own ID for the call, if the body has one. */
  callIdOf?(request: Request): string | null;
  /** Estimates the number of tokens for images and similar parts, if the operation supports them. */
  weighParts?(request: Request): PartTokens;
  formOf(request: Request): AnswerForm;
  /** Reports whether the client requested usage in its stream. */
  wantsUsage(request: Request): boolean;
  /**
   * Returns the maximum usage of a call, if the request determines it. Returns null if the model decides the output
   * length, which the request or the gateway then limits.
   */
  boundUsage(call: Call<Request>, deployment: Deployment): Usage | null;
  /**
   * Returns the maximum usage that a provider may report, for requests that can declare less content than they contain.
   * The hold is based on the declared amount, which is nearly always correct. A higher reported usage is accepted up to
   * this maximum.
   */
  largestUsage?(call: Call<Request>, deployment: Deployment): Usage;
  /** Returns the price for this request if a deployment has several prices, such as one for each image size. */
  pricedAs?(call: Call<Request>, deployment: Deployment): Priced | null;
  /**
   * Computes a call's usage if the provider didn't report it. `answer` is the complete response as bytes, or null for a
   * stream with `outputTokens` counted tokens.
   */
  countUsage(call: Call<Request>, deployment: Deployment, answer: string | null, outputTokens: number): Usage;
}

/** Creates usage with estimated token counts, for calls whose provider reported none. */
export function estimatedUsage(inputTokens: number, outputTokens: number): Usage {
  return { ...NO_USAGE, inputTokens, outputTokens, source: "estimated" };
}
