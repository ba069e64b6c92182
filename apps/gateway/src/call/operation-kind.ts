import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { CallBody } from "./call-body.ts";
import type { Deployment, Priced } from "./deployment.ts";
import type { AnswerForm, OperationName, OperationTraits } from "./operation-traits.ts";
import type { FindTexts } from "./output-counter.ts";
import type { RequestedTools } from "./requested-tools.ts";

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
  /** Tools that the provider runs. Absent for nearly every request. */
  readonly tools?: RequestedTools;
}

export const NO_PARTS: PartTokens = { bytes: 0, tokens: 0, images: 0, hasAudio: false, isUnbounded: false };

/** The data of a call that its usage depends on. */
export interface CountedCall<Request extends InferenceRequest = InferenceRequest> {
  readonly operation: OperationName;
  readonly body: CallBody<Request>;
  /** The request, one character per byte; null if it was too long to retain. */
  readonly prompt: string | null;
  readonly bodyBytes: number;
  readonly parts: PartTokens;
}

/**
 * The code that distinguishes one inference operation from another. The steps of a call are the same for all
 * operations.
 */
export interface OperationKind<Request extends InferenceRequest = InferenceRequest> extends OperationTraits {
  /**
   * The member whose texts are left unparsed. Only an operation that never reads them can set this. Its schema and its
   * checks see empty strings instead.
   */
  readonly textsIn?: string;
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
  boundUsage(call: CountedCall<Request>, deployment: Deployment): Usage | null;
  /**
   * Returns the maximum usage that a provider may report, for requests that can declare less content than they contain.
   * The hold is based on the declared amount, which is nearly always correct. A higher reported usage is accepted up to
   * this maximum.
   */
  largestUsage?(call: CountedCall<Request>, deployment: Deployment): Usage;
  /** Returns the price for this request if a deployment has several prices, such as one for each image size. */
  pricedAs?(call: CountedCall<Request>, deployment: Deployment): Priced | null;
  /**
   * Computes a call's usage if the provider didn't report it. `answer` is the complete response as bytes, or null for a
   * stream with `outputTokens` counted tokens.
   */
  countUsage(call: CountedCall<Request>, deployment: Deployment, answer: string | null, outputTokens: number): Usage;
}
