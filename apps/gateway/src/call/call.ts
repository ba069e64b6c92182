import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { CallRoute } from "@tollgate/domain/routing/call-route.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { CacheEntry } from "./cache-entry.ts";
import { type CallBody, mayCacheLong } from "./call-body.ts";
import type { CallTrace } from "./call-tracing.ts";
import type { Caller } from "./caller.ts";
import type { ChosenModel } from "./chosen-model.ts";
import { endUserOf, sessionOfBody } from "./client-ids.ts";
import type { Conversation } from "./conversation.ts";
import type { Deployment } from "./deployment.ts";
import type { Exchange } from "./exchange.ts";
import type { IdempotencyClaim } from "./idempotency-claims.ts";
import { NO_PARTS, type OperationKind, type PartTokens } from "./operation-kind.ts";
import type { AnswerForm, OperationName } from "./operation-traits.ts";
import type { ReadAnswer, UpstreamHeaders } from "./provider.ts";

/** Maximum size of a prompt that is retained while its stream runs. */
const MAX_KEPT_PROMPT = 1024 * 1024;

/** Timeouts set by a request. A null timeout is determined by the deployment and the settings. */
export interface RequestedTimeouts {
  readonly timeoutMs: number | null;
  readonly streamTimeoutMs: number | null;
}

/**
 * One inference call. It is built in stages, each of which writes its own fields, and afterwards every field is
 * read-only. The stages share one object, because a new object per stage would cost time on every call.
 */
export class Call<Request extends InferenceRequest = InferenceRequest> {
  // Read: the constructor sets these fields.
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly kind: OperationKind<Request>;
  readonly answerForm: AnswerForm;
  readonly wantsUsage: boolean;
  readonly asked: RequestedTimeouts;
  readonly hops: number;
  /** End-user ID sent by the client. */
  readonly endUser: string | null;
  /** Session ID sent by the client; null if the client names no session. */
  readonly sessionName: string | null;
  /** The conversation that the call begins or continues; null if the operation has no conversations. */
  readonly conversation: Conversation | null;
  /** Bodies of fallbacks that change the request, by model name; null for nearly every call. */
  readonly fallbackBodies: ReadonlyMap<string, CallBody<Request>> | null = null;
  /** The caller's own provider API key; null if the operator's key is used. */
  readonly ownKey: Secret | null = null;
  /** The call's trace; null if the call isn't traced. */
  readonly trace: CallTrace | null = null;

  // Checked: what guardrails, the cache, and an Idempotency-Key add to the request.
  /** The call's guardrails; null if none apply. */
  readonly guards: CallGuards | null = null;
  /** Cache entry for the response; null if the response isn't cached. */
  readonly cacheEntry: CacheEntry | null = null;
  /** Claim on the Idempotency-Key; null if the request has no such key. */
  readonly claim: IdempotencyClaim | null = null;

  // Routed: the model and the deployment that serve the call.
  /** The requested model; after a fallback, the model that serves the call. */
  readonly model: ChosenModel;
  /** The current deployment, from when it is chosen until the attempt has ended. */
  readonly target: Deployment | null = null;
  /** The call's session, which stays on one deployment; 0 if the call has none. */
  readonly session: number = 0;
  /** True if the attempt probes a deployment after its cooldown. */
  readonly isProbe: boolean = false;
  /** Route for attempts after the first failure; null until then. */
  readonly route: CallRoute<Deployment> | null = null;
  /** Number of retries within a group, and number of fallback groups used. */
  readonly retries: number = 0;
  readonly fallbacks: number = 0;
  /** Number of retries that the last failure allowed. */
  readonly maxRetries: number = 0;
  /** The requested group, once a fallback serves the call. */
  readonly fallbackFrom: string | null = null;
  readonly bodyBytes: number;
  /** Estimate for images and other parts whose bytes don't predict their tokens. */
  readonly parts: PartTokens;

  // Opened: what the account needs to know and decides.
  /** Output limit that the gateway sets on admission if the request has no limit. */
  readonly outputLimit: number | null = null;
  /** Approximate number of prompt tokens; null before they are counted. */
  readonly roughInput: number | null = null;
  /** Time spent waiting for credit and rate limits. */
  readonly waitedMs: number = 0;

  // Sent: the upstream requests and their response.
  /** Number of upstream requests. */
  readonly attempts: number = 0;
  /** Times of the first and the last attempt, by the exchange's clock; 0 before the first attempt. */
  readonly firstSentAtMs: number = 0;
  readonly sentAtMs: number = 0;
  /** Time of the last response byte; 0 before the first byte arrives. */
  readonly lastByteAtMs: number = 0;
  /** Upstream response headers; null before they arrive. */
  readonly upstreamHeaders: UpstreamHeaders | null = null;

  #body: CallBody<Request> | null;
  /** Null until it is asked for, which only prices for one-hour caches do. */
  #mayCacheLong: boolean | null = null;
  /** The original request. Streams retain it, because an aborted stream may have to be counted. */
  #prompt: Buffer | null = null;

  constructor(
    exchange: Exchange,
    caller: Caller,
    kind: OperationKind<Request>,
    model: ChosenModel,
    body: CallBody<Request>,
    asked: RequestedTimeouts,
    conversation: Conversation | null = null,
  ) {
    this.exchange = exchange;
    this.caller = caller;
    this.kind = kind;
    this.model = model;
    this.#body = body;
    this.bodyBytes = body.bytes.length;
    this.parts = kind.weighParts?.(body.request) ?? NO_PARTS;
    this.answerForm = kind.formOf(body.request);
    this.wantsUsage = kind.wantsUsage(body.request);
    this.asked = asked;
    this.conversation = conversation;
    this.endUser = endUserOf(kind, body);
    this.sessionName = sessionOfBody(body, exchange.headers);
    this.hops = Number(exchange.headers.hops ?? 0);
  }

  get operation(): OperationName {
    return this.kind.name;
  }

  /** True if the request may ask the provider to cache its prompt for one hour. */
  get mayCacheLong(): boolean {
    this.#mayCacheLong ??= this.#body !== null && mayCacheLong(this.#body);
    return this.#mayCacheLong;
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
    const bytes = this.#body === null ? this.#prompt : this.#body.bytes;
    return bytes === null ? null : bytes.toString("latin1");
  }

  /** Replaces the body to send, because a fallback may have its own body. */
  useBody(body: CallBody<Request>): void {
    this.#body = body;
    this.#mayCacheLong = null;
    const routed = inStage(this, "routed");
    routed.bodyBytes = body.bytes.length;
    routed.parts = this.kind.weighParts?.(body.request) ?? NO_PARTS;
    inStage(this, "opened").roughInput = null;
  }

  /** Drops the parsed request once no other target can be tried. */
  dropBody(): void {
    if (this.kind.keepsRequest === true) return;
    if (this.#body !== null && this.bodyBytes <= MAX_KEPT_PROMPT) this.#prompt = this.#body.bytes;
    this.#body = null;
  }
}

/** The stages of a call in order, and the fields that each of them writes. */
interface StageFields {
  readonly read: "fallbackBodies" | "ownKey" | "trace";
  readonly checked: "fallbackBodies" | "guards" | "cacheEntry" | "claim";
  readonly routed:
    | "model"
    | "target"
    | "session"
    | "isProbe"
    | "route"
    | "retries"
    | "fallbacks"
    | "maxRetries"
    | "fallbackFrom"
    | "bodyBytes"
    | "parts";
  readonly opened: "outputLimit" | "roughInput" | "waitedMs";
  readonly sent: "attempts" | "firstSentAtMs" | "sentAtMs" | "lastByteAtMs" | "upstreamHeaders";
}

type Writable<Whole, Names extends keyof Whole> = { -readonly [Name in Names]: Whole[Name] };

/** Returns the same call to the code of one stage, which alone may write the fields of that stage. */
export function inStage<Request extends InferenceRequest, Stage extends keyof StageFields>(
  call: Call<Request>,
  _stage: Stage,
): Writable<Call<Request>, StageFields[Stage]> {
  return call;
}

/** Begins an attempt on a deployment. */
export function beginAttempt(call: Call, target: Deployment, nowMs: number): void {
  inStage(call, "routed").target = target;
  inStage(call, "routed").isProbe = target.state.begin(nowMs);
}

/** Ends the current attempt, regardless of its outcome. */
export function endAttempt(call: Call): void {
  const { target } = call;
  if (target === null) return;
  inStage(call, "routed").target = null;
  target.state.end(call.isProbe);
}

/**
 * The guardrails for one call. If a guardrail blocks the call, its check throws a Failure with code
 * `guardrail_blocked`.
 */
export interface CallGuards {
  /** Names of the guardrails that apply to this call, sorted. */
  readonly names: readonly string[];
  /** Revisions of the guardrails, sorted. They distinguish responses that were checked by different guardrails. */
  readonly revisions: readonly string[];
  /** Checks the request before it is sent, and may replace the call's body. Null if no guardrail runs at this stage. */
  checkRequest(call: Call): Promise<void> | null;
  /** Starts the guardrails that run in parallel with the upstream call. No response is sent before they finish. */
  beginBeside(call: Call): void;
  /** True if responses wait for guardrails or are checked by them. */
  readonly checksAnswers: boolean;
  /** Checks a complete response in the operation's format. Returns the bytes to send instead. */
  checkAnswer(call: Call, read: ReadAnswer): Promise<string>;
  /** Creates the guard for a stream; null if streams are not checked. */
  watchStream(call: Call): StreamGuard | null;
  /** True if logged content is checked separately from sent content. */
  readonly cleansLog: boolean;
  /** Returns the request and response for the log, as bytes, or null if they must not be logged. */
  cleanForLog(call: Call, request: string, answer: string): Promise<{ request: string; answer: string } | null>;
}

/** Checks a stream in windows. Frames are sent only after they have been checked. */
export interface StreamGuard {
  /** Takes frames for the client and returns the frames that may be sent now. */
  push(frames: string): Promise<string>;
  /** Takes the last frames and returns all frames that were held back. */
  end(frames: string): Promise<string>;
}

/** Resolves the guardrails of a call. */
export interface Guardrails {
  /** Returns null if no guardrail applies, so that most calls have no overhead. Throws for an unknown guardrail. */
  guardsOf(call: Call): CallGuards | null;
}
