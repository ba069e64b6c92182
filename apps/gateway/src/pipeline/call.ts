import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { CallRoute } from "@tollgate/domain/routing/call-route.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ChosenModel } from "../model-list/find-model.ts";
import type { AnswerForm, OperationKind, OperationName, PartTokens } from "../operations/operation-kind.ts";
import type { UpstreamHeaders } from "../providers/provider.ts";
import type { CacheEntry } from "./answer/answer-cache.ts";
import type { CallGuards } from "./answer/call-guards.ts";
import type { IdempotencyClaim } from "./answer/repeat-claims.ts";
import type { CallBody } from "./body/call-body.ts";
import type { Conversation } from "./body/conversation.ts";
import type { Caller } from "./caller.ts";
import type { CallTrace } from "./upstream/call-tracing.ts";

/** A longer prompt is not kept for as long as its stream lives. */
const MAX_KEPT_PROMPT = 1024 * 1024;

/** The books keep the beginning of an endless name. */
const MAX_END_USER = 200;

const NO_PARTS: PartTokens = { bytes: 0, tokens: 0 };

/** What a request says about how long it may take; null leaves it to the deployment and the settings. */
export interface RequestedTimeouts {
  readonly timeoutMs: number | null;
  readonly streamTimeoutMs: number | null;
}

/** One inference call: who asks, what for, and of which model. */
export class Call<Request extends InferenceRequest = InferenceRequest> {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly kind: OperationKind<Request>;
  /** What the client asked for; after a fallback, what answers instead. */
  model: ChosenModel;
  readonly answerForm: AnswerForm;
  readonly wantsUsage: boolean;
  readonly asked: RequestedTimeouts;
  bodyBytes: number;
  /** Pictures and the like, which are not counted by their bytes. */
  parts: PartTokens;
  readonly hops: number;
  /** How much the model may answer, when the request leaves that to us. Decided when the call is admitted. */
  outputLimit: number | null = null;
  /** About how many tokens the prompt has, once someone counted. */
  roughInput: number | null = null;
  /** The deployment it is at, from the choice until that attempt has ended. */
  target: Deployment | null = null;
  /** Whether that attempt tries out a deployment which had to rest. */
  isProbe = false;
  /** Where it goes after its first failure; null before. */
  route: CallRoute<Deployment> | null = null;
  /** How long it waited for credit and for a place under the limits. */
  waitedMs = 0;
  /** When it was first and last sent on; 0 before. On the clock of the exchange. */
  firstSentAtMs = 0;
  sentAtMs = 0;
  /** When the last byte of an answer came; 0 before. */
  lastByteAtMs = 0;
  /** What the upstream said before its answer; null before. */
  upstreamHeaders: UpstreamHeaders | null = null;
  /** What looks at its request and answer; null for calls nothing looks at. */
  guards: CallGuards | null = null;
  /** Where its answer is kept for calls that ask the same; null when it is not. */
  cacheEntry: CacheEntry | null = null;
  /** What makes its retries get its answer; null without an Idempotency-Key. */
  claim: IdempotencyClaim | null = null;
  /** Writes down what a trace shows of it; null for calls that are not traced. */
  trace: CallTrace | null = null;
  /** How many upstream calls it took. */
  attempts = 0;
  /** How many of them were tries of the same group again, and how many groups came after the first. */
  retries = 0;
  fallbacks = 0;
  /** How many retries the last failure allowed. */
  maxRetries = 0;
  /** The group that was asked for, once another answers in its place. */
  fallbackFrom: string | null = null;
  /** Bodies of its own for some fallbacks, by the model they name; null for nearly every call. */
  fallbackBodies: ReadonlyMap<string, CallBody<Request>> | null = null;
  /** Whom the client says it calls for. */
  readonly endUser: string | null;
  #body: CallBody<Request> | null;
  /** The request as it came, kept by streams: one that is cut off may have to be counted. */
  #prompt: string | null = null;

  constructor(
    exchange: Exchange,
    caller: Caller,
    kind: OperationKind<Request>,
    model: ChosenModel,
    body: CallBody<Request>,
    asked: RequestedTimeouts,
  ) {
    this.exchange = exchange;
    this.caller = caller;
    this.kind = kind;
    this.model = model;
    this.#body = body;
    this.bodyBytes = body.text.length;
    this.parts = kind.weighParts?.(body.request) ?? NO_PARTS;
    this.answerForm = kind.formOf(body.request);
    this.wantsUsage = kind.wantsUsage(body.request);
    this.asked = asked;
    const user = kind.endUserOf === undefined ? body.request.user : kind.endUserOf(body.request);
    this.endUser =
      typeof user === "string" ? Buffer.from(user, "latin1").toString("utf8").slice(0, MAX_END_USER) : null;
    this.hops = Number(exchange.headers.hops ?? 0);
  }

  get operation(): OperationName {
    return this.kind.name;
  }

  get conversation(): Conversation | null {
    return this.exchange.conversation;
  }

  get isStream(): boolean {
    return this.answerForm !== "whole";
  }

  get body(): CallBody<Request> {
    if (this.#body === null) throw new Error("the request body was dropped when the response began");
    return this.#body;
  }

  /** The request as bytes, one character each; null when it was too long to be kept. */
  get prompt(): string | null {
    return this.#body === null ? this.#prompt : this.#body.text;
  }

  /** What is sent from now on: a fallback may come with a body of its own. */
  useBody(body: CallBody<Request>): void {
    this.#body = body;
    this.bodyBytes = body.text.length;
    this.parts = this.kind.weighParts?.(body.request) ?? NO_PARTS;
    this.roughInput = null;
  }

  /** Lets go of the parsed request once no other target can be tried. */
  dropBody(): void {
    if (this.kind.keepsRequest === true) return;
    if (this.#body !== null && this.bodyBytes <= MAX_KEPT_PROMPT) this.#prompt = this.#body.text;
    this.#body = null;
  }
}
