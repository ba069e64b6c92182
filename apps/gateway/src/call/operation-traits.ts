import type { ErrorContext } from "@tollgate/contracts/error-bodies.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";

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

/**
 * Priority of a request, which determines the order in which work is shed under pressure. Running calls are never
 * dropped in favor of new calls.
 */
export type CallPriority = "read" | "background" | "usual";

/** An error format that differs from OpenAI's, for failures and for streams that end early. */
export interface ErrorFormat {
  /** Returns the body of a failed call, as JSON text. */
  failureBody(failure: Failure, context: ErrorContext): string;
  /**
   * Returns, as bytes, the frames that end a stream after a failure. A stream reader may provide more specific frames.
   */
  failureFrames(failure: Failure, context: ErrorContext): string;
  /** The response header in which clients expect the call ID. */
  readonly callIdHeader?: string;
  /** The frame that keeps an idle stream open, if a comment isn't suitable. */
  readonly keepAlive?: string;
}

type BodySchema = NonNullable<OperationDescription["body"]>;

/** Describes one inference operation: what its requests and responses look like, without any code. */
export interface OperationTraits {
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
  /** The output limit of requests that don't set one. Defaults to the model's. */
  readonly defaultOutputLimit?: number;
  /** True if a call may continue an earlier call. The earlier turns are loaded before the call is validated. */
  readonly hasConversation?: boolean;
  /** True if responses are model-written text, whose length is limited in tokens. */
  readonly writesText?: boolean;
}
