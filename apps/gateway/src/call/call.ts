import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { CallRoute } from "@tollgate/domain/routing/call-route.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ChosenModel } from "../model-list/find-model.ts";
import {
  type AnswerForm,
  NO_PARTS,
  type OperationKind,
  type OperationName,
  type PartTokens,
} from "../operations/operation-kind.ts";
import type { UpstreamHeaders } from "../providers/provider.ts";
import type { CacheEntry } from "./answer/answer-cache.ts";
import type { CallGuards } from "./answer/call-guards.ts";
import type { IdempotencyClaim } from "./answer/idempotency-claims.ts";
import type { CallBody } from "./body/call-body.ts";
import type { Conversation } from "./body/conversation.ts";
import type { Caller } from "./caller.ts";
import type { CallTrace } from "./upstream/call-tracing.ts";

/** Maximum size of a prompt that is retained while its stream runs. */
const MAX_KEPT_PROMPT = 1024 * 1024;

/** Maximum stored length of the end-user ID. Longer values are truncated. */
const MAX_END_USER = 200;

/** Timeouts set by a request. A null timeout is determined by the deployment and the settings. */
export interface RequestedTimeouts {
  readonly timeoutMs: number | null;
  readonly streamTimeoutMs: number | null;
}

/** One inference call: its caller, operation, request, and model. */
export class Call<Request extends InferenceRequest = InferenceRequest> {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly kind: OperationKind<Request>;
  /** The requested model; after a fallback, the model that serves the call. */
  model: ChosenModel;
  readonly answerForm: AnswerForm;
  readonly wantsUsage: boolean;
  readonly asked: RequestedTimeouts;
  bodyBytes: number;
  /** Estimate for images and other parts whose bytes don't predict their tokens. */
  parts: PartTokens;
  readonly hops: number;
  /** Output limit that the gateway sets on admission if the request has no limit. */
  outputLimit: number | null = null;
  /** Approximate number of prompt tokens; null before they are counted. */
  roughInput: number | null = null;
  /** The current deployment, from when it is chosen until the attempt has ended. */
  target: Deployment | null = null;
  /** True if the attempt probes a deployment after its cooldown. */
  isProbe = false;
  /** Route for attempts after the first failure; null until then. */
  route: CallRoute<Deployment> | null = null;
  /** Time spent waiting for credit and rate limits. */
  waitedMs = 0;
  /** Times of the first and the last attempt, by the exchange's clock; 0 before the first attempt. */
  firstSentAtMs = 0;
  sentAtMs = 0;
  /** Time of the last response byte; 0 before the first byte arrives. */
  lastByteAtMs = 0;
  /** Upstream response headers; null before they arrive. */
  upstreamHeaders: UpstreamHeaders | null = null;
  /** The call's guardrails; null if none apply. */
  guards: CallGuards | null = null;
  /** Cache entry for the response; null if the response isn't cached. */
  cacheEntry: CacheEntry | null = null;
  /** Claim on the Idempotency-Key; null if the request has no such key. */
  claim: IdempotencyClaim | null = null;
  /** The call's trace; null if the call isn't traced. */
  trace: CallTrace | null = null;
  /** Number of upstream requests. */
  attempts = 0;
  /** Number of retries within a group, and number of fallback groups used. */
  retries = 0;
  fallbacks = 0;
  /** Number of retries that the last failure allowed. */
  maxRetries = 0;
  /** The requested group, once a fallback serves the call. */
  fallbackFrom: string | null = null;
  /** Bodies of fallbacks that change the request, by model name; null for nearly every call. */
  fallbackBodies: ReadonlyMap<string, CallBody<Request>> | null = null;
  /** End-user ID sent by the client. */
  readonly endUser: string | null;
  #body: CallBody<Request> | null;
  /** The original request. Streams retain it, because an aborted stream may have to be counted. */
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

  /** The request, one character per byte; null if it was too long to retain. */
  get prompt(): string | null {
    return this.#body === null ? this.#prompt : this.#body.text;
  }

  /** Replaces the body to send, because a fallback may have its own body. */
  useBody(body: CallBody<Request>): void {
    this.#body = body;
    this.bodyBytes = body.text.length;
    this.parts = this.kind.weighParts?.(body.request) ?? NO_PARTS;
    this.roughInput = null;
  }

  /** Drops the parsed request once no other target can be tried. */
  dropBody(): void {
    if (this.kind.keepsRequest === true) return;
    if (this.#body !== null && this.bodyBytes <= MAX_KEPT_PROMPT) this.#prompt = this.#body.text;
    this.#body = null;
  }
}
