import type { Failure } from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { CallPriority } from "../overload/pressure.ts";
import type { Priced } from "../pipeline/account/priced-as.ts";
import type { Call } from "../pipeline/call.ts";
import type { FindTexts } from "../tokens/output-meter.ts";

/** The inference operations, by the names the books know them by. */
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

/** How an answer reaches the client: complete, as server-sent events, or as bytes while they come. */
export type AnswerForm = "whole" | "events" | "bytes";

/** The fields of an operation's request, by what becomes of them. */
export interface OperationFields {
  /** What the request is about. Always sent to the model. */
  readonly required: readonly string[];
  /** What a model may or may not support. */
  readonly params: ReadonlySet<string>;
  /** What decides which model answers, in which form and at what cost: must stand at the top level of the body. */
  readonly settled: ReadonlySet<string>;
  /** What the gateway reads itself, of this operation alone. */
  readonly own?: readonly string[];
}

/** Parts of a request whose bytes say nothing about the tokens they become. */
export interface PartTokens {
  readonly bytes: number;
  readonly tokens: number;
}

/** How an interface words what OpenAI's own words otherwise: failures and early ends. */
export interface ErrorFormat {
  /** The body of a failed call, as JSON text. */
  failureBody(failure: Failure, callId: string): string;
  /** The frames that end a stream which failed after it had begun, as bytes; a stream's reader may know better ones. */
  failureFrames(failure: Failure, callId: string): string;
  /** The header its clients look for the id of a call in. */
  readonly callIdHeader?: string;
  /** What keeps a quiet stream open, where a comment would not do. */
  readonly keepAlive?: string;
}

type BodySchema = NonNullable<OperationDescription["body"]>;

/** What tells one inference operation from another. The steps of a call are the same for all of them. */
export interface OperationKind<Request extends InferenceRequest = InferenceRequest> {
  readonly name: OperationName;
  readonly fields: OperationFields;
  /** What is given up first when not everything can be served; people wait for most calls. */
  readonly priority?: CallPriority;
  /** The schema of its request, and of one whose model stands elsewhere. */
  readonly schema: BodySchema;
  readonly schemaForModel: BodySchema;
  /** Whether the query may name the model, which then wins over the body's. */
  readonly takesModelInQuery?: boolean;
  /** Its request comes as a form, with a file. */
  readonly isForm?: boolean;
  /** Where its clients do not expect OpenAI's words. */
  readonly words?: ErrorFormat;
  /** Its request is kept to the end of the call: without it nobody can tell what an answer used. */
  readonly keepsRequest?: boolean;
  /** The parameters that bound how much is answered; those of chat where it says nothing. */
  readonly limitParams?: readonly string[];
  /** Its calls may continue earlier ones and be continued: what was said before is looked up first. */
  readonly hasConversation?: boolean;
  /** Its answers are text of a model, whose length tokens bound. */
  readonly writesText?: boolean;
  /** Finds the texts in the frames of its stream, for those who keep answers; as in chat where it says nothing. */
  readonly findTexts?: FindTexts;
  /** Whom the client says it calls for, as bytes; the field `user` where it says nothing. */
  endUserOf?(request: Request): string | null | undefined;
  /** The rules no schema can say. Strings of the request are bytes here: compare them, never show them. */
  check(request: Request): void;
  /** The caller's own label for the call, where the body may hold one. */
  callIdOf?(request: Request): string | null;
  /** What its pictures and the like are worth, where it can have any. */
  weighParts?(request: Request): PartTokens;
  formOf(request: Request): AnswerForm;
  /** Whether a client asked to be told what its stream used. */
  wantsUsage(request: Request): boolean;
  /**
   * The most a call can use, when the request itself bounds that; null for answers whose length the model decides, which
   * are bounded by the request's limit or by what we tell the model.
   */
  boundUsage(call: Call<Request>, deployment: Deployment): Usage | null;
  /**
   * The most that a provider may report, where a request can claim less than it holds. The hold goes by the claim, which
   * is nearly always true; a report above the claim is believed up to here.
   */
  largestUsage?(call: Call<Request>, deployment: Deployment): Usage;
  /** The price of this request where a deployment has several, such as one for each size of a picture. */
  pricedAs?(call: Call<Request>, deployment: Deployment): Priced | null;
  /**
   * What a call used whose provider did not say. `answer` is the complete answer as bytes, null for a stream, of which
   * `outputTokens` have been counted.
   */
  countUsage(call: Call<Request>, deployment: Deployment, answer: string | null, outputTokens: number): Usage;
}

/** Usage in tokens that nobody reported. */
export function estimatedUsage(inputTokens: number, outputTokens: number): Usage {
  return { ...NO_USAGE, inputTokens, outputTokens, source: "estimated" };
}
