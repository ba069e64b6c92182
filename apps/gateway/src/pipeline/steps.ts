import type { Catalog } from "@tollgate/catalog/catalog.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { CostQuote } from "@tollgate/contracts/utilities/cost-quote.ts";
import type { SessionPins } from "@tollgate/domain/routing/session-pins.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Accounting, AccountingContext, CallObserver, ContentLog } from "../accounting/accounting.ts";
import type { CallAccount } from "../accounting/call-account.ts";
import { type MeanOutput, quoteCall } from "../accounting/quote-call.ts";
import { chargeServedModel, type ServedModelContext, type UsageRecorder } from "../accounting/record-usage.ts";
import type { ResponseCache } from "../cache/response-cache.ts";
import { type Call, endAttempt, type Guardrails, inStage } from "../call/call.ts";
import type { FormBody, UploadedFile } from "../call/call-body.ts";
import type { CallTracing } from "../call/call-tracing.ts";
import type { Caller } from "../call/caller.ts";
import { clientDisconnected } from "../call/client-disconnected.ts";
import type { Conversation, Conversations, RecalledBody } from "../call/conversation.ts";
import type { Deployment } from "../call/deployment.ts";
import type { Exchange } from "../call/exchange.ts";
import type { IdempotencyClaims } from "../call/idempotency-claims.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import type { CallPriority, OperationName } from "../call/operation-traits.ts";
import type { UpstreamAnswer } from "../call/upstream-answer.ts";
import type { AdmissionGate } from "../limits/admission-gate.ts";
import { attemptLimits, type LiveCalls, type UnattendedCalls } from "../limits/live-calls.ts";
import type { ModelLookup } from "../models/model-lookup.ts";
import { readForm } from "../wire/read-form.ts";
import { answerFromCache, replayResponse } from "./answer-early.ts";
import {
  admitCaller,
  authenticate,
  authenticateInternal,
  type InternalCallers,
  type KeyDirectory,
} from "./authenticate.ts";
import { callUpstream } from "./call-upstream.ts";
import { chooseFirst, type RouteContext } from "./choose-target.ts";
import type { RelaySettings } from "./end-stream.ts";
import { logUnadmitted, type UnadmittedCallLog } from "./log-unadmitted.ts";
import { moderateTexts } from "./moderate-texts.ts";
import { openAccount } from "./open-account.ts";
import { openStream } from "./open-stream.ts";
import { readCall, readJsonBody } from "./read-call.ts";
import { relayAnswer } from "./relay-answer.ts";
import { relayStream } from "./relay-stream.ts";
import { retryOrFallBack } from "./retry-or-fall-back.ts";

/** Dependencies of the call steps. A reload replaces the settings, the models, and the cache as a whole. */
interface CallContext {
  readonly current: () => {
    readonly settings: Settings;
    readonly models: ModelLookup;
    /** The response cache; null if caching is off. */
    readonly cache: ResponseCache | null;
  };
  readonly keys: KeyDirectory;
  /** Authenticates calls from other processes of this Tollgate instance; null if there are no other processes. */
  readonly internalCallers: InternalCallers | null;
  readonly live: LiveCalls;
  readonly unattended: UnattendedCalls;
  readonly accounting: Accounting;
  readonly recorder: UsageRecorder | null;
  readonly observer: CallObserver | null;
  /** Decides which calls are traced; null if tracing is off. */
  readonly tracing: CallTracing | null;
  /** Stores requests and responses for callers that opted in; null if content can't be stored. */
  readonly contents: ContentLog | null;
  /** Checks requests and responses; null if no guardrail is configured. */
  readonly guardrails: Guardrails | null;
  /** Idempotency keys that make retries safe; null if responses can't be stored. */
  readonly repeats: IdempotencyClaims | null;
  /** Continues earlier responses, and stores responses that can be continued. */
  readonly conversations: Conversations;
  /** Creates the event IDs of calls that the gateway itself makes on behalf of a caller. */
  readonly newEventId: () => string;
  readonly catalog: Catalog;
  /** Called when a response names a model other than the one that was priced. */
  readonly onOtherModel: ServedModelContext["onOtherModel"];
  /** Admits calls while this process has capacity. */
  readonly gate: AdmissionGate;
  /** Receives calls that were not admitted; null if they are not logged. */
  readonly unadmitted: UnadmittedCallLog | null;
  /** Returns the URL of the documentation, for the links in errors. */
  readonly docsUrl: (exchange: Exchange) => string;
  readonly now: () => number;
  /** Unix time in milliseconds, for comparisons with calendar dates. */
  readonly wallClock: () => number;
  readonly random: () => number;
  /** The deployments of sessions. */
  readonly pins: SessionPins;
}

/** The steps of a call in order, bound to their dependencies. */
export type CallSteps = ReturnType<typeof createSteps>;

/** Binds each step to its dependencies. */
export function createSteps(context: CallContext) {
  const accounting: AccountingContext = {
    ...context.accounting,
    settings: () => context.current().settings,
    recorder: context.recorder,
    observer: context.observer,
    contents: context.contents,
    now: context.now,
    wallClock: context.wallClock,
  };
  let relaySource: Settings | null = null;
  let relayWith = {} as RelaySettings;
  const relaySettings = (): RelaySettings => {
    const { settings } = context.current();
    if (settings === relaySource) return relayWith;
    relaySource = settings;
    relayWith = {
      codeStyle: settings.gateway.errorCodeStyle,
      docsUrl: context.docsUrl,
      exposesUpstream: settings.general.exposeUpstreamHeaders,
      now: context.now,
      wallClock: context.wallClock,
      live: context.live,
      unattended: context.unattended,
    };
    return relayWith;
  };
  const route = (): RouteContext => {
    const { settings, models } = context.current();
    return { settings, models, nowMs: context.wallClock(), random: context.random, pins: context.pins };
  };
  const bodyLimitOf = ({ bodyLimitBytes }: OperationDescription): number =>
    Math.min(bodyLimitBytes, context.current().settings.general.maxRequestSizeMb * 1024 * 1024);
  const callTarget = (call: Call, target: Deployment): Promise<UpstreamAnswer> => {
    const { settings } = context.current();
    const limits = attemptLimits(call, target, settings, context.now());
    return call.isStream ? openStream(call, target, limits, context) : callUpstream(call, target, limits, context);
  };
  const waitInLine = async (exchange: Exchange, turn: Promise<void>): Promise<void> => {
    const sinceMs = context.now();
    await turn;
    exchange.queuedMs = context.now() - sinceMs;
  };
  const waitForAccount = async (call: Call, opening: Promise<CallAccount>): Promise<CallAccount> => {
    const sinceMs = context.now();
    const account = await opening;
    inStage(call, "opened").waitedMs = context.now() - sinceMs;
    return account;
  };
  const relay = (account: CallAccount, answer: UpstreamAnswer): Promise<Failure | null> =>
    answer.stream === null
      ? relayAnswer(account, answer, relaySettings().exposesUpstream)
      : relayStream(account, answer, relaySettings());
  const { catalog, onOtherModel } = context;
  const served: ServedModelContext = { catalog, onOtherModel, prices: accounting.prices };
  const others = { accounting, route, callUpstream: callTarget };
  return {
    authenticate: (exchange: Exchange): Caller | Promise<Caller> =>
      exchange.headers.internal === null
        ? authenticate(
            exchange.headers.keys,
            exchange.request.keyHeaders,
            context.keys,
            context.wallClock(),
            exchange.lastKey,
          )
        : authenticateInternal(exchange, context.internalCallers, context.wallClock()),
    enter: (exchange: Exchange, caller: Caller, priority: CallPriority = "usual"): null | Promise<void> => {
      const turn = context.gate.enter(ownerOf(caller), priority);
      return turn === null ? null : waitInLine(exchange, turn);
    },
    leave: (exchange: Exchange, caller: Caller): void => {
      context.unattended.remove(exchange);
      context.gate.leave(ownerOf(caller));
    },
    admitCaller: (caller: Caller, operation: OperationDescription): void => admitCaller(caller, operation),
    readBody: (exchange: Exchange, operation: OperationDescription): Buffer | Promise<Buffer> =>
      readJsonBody(exchange, bodyLimitOf(operation)),
    readForm: (exchange: Exchange, { schema }: OperationKind): Promise<FormBody> =>
      readForm(exchange, schema, context.current().settings.general.maxFileSizeMb * 1024 * 1024),
    /** Adds the earlier turns to the body, for operations whose calls can continue earlier calls. */
    recall: (
      { eventId }: Exchange,
      caller: Caller,
      operation: OperationDescription,
      bytes: Buffer,
    ): Promise<RecalledBody> =>
      context.conversations.recall({ caller, eventId, bytes, limitBytes: bodyLimitOf(operation) }),
    readCall: (
      exchange: Exchange,
      caller: Caller,
      kind: OperationKind,
      bytes: Buffer,
      file: UploadedFile | null = null,
      conversation: Conversation | null = null,
    ): Call => {
      const { settings, models } = context.current();
      const call = readCall(exchange, caller, kind, bytes, models, settings, file, conversation);
      if (context.tracing !== null) inStage(call, "read").trace = context.tracing.begin(exchange);
      return call;
    },
    /**
     * Checks the request with guardrails. Returns null if no guardrail applies. Throws if a guardrail blocks the call.
     */
    guardRequest: (call: Call): Promise<void> | null => {
      inStage(call, "checked").guards = context.guardrails?.guardsOf(call) ?? null;
      const checked = call.guards?.checkRequest(call) ?? null;
      return checked === null ? null : checked.then(() => stopIfGone(call));
    },
    /** Calls a model to moderate a call's text. The caller pays for the moderation. */
    moderate: (call: Call, model: string, texts: readonly string[]) =>
      moderateTexts(
        { ...others, models: () => context.current().models, newEventId: context.newEventId },
        call,
        model,
        texts,
      ),
    /** Reports whether the call was served from the response cache. Returns null if the call doesn't use the cache. */
    findCached: (call: Call): Promise<boolean> | null => {
      const found = context.current().cache?.find(call) ?? null;
      return found === null ? null : answerFromCache(accounting, call, found);
    },
    /**
     * Reports whether the response for the call's Idempotency-Key was replayed. Returns null if the call has no such
     * key.
     */
    findRepeated: (call: Call): Promise<boolean> | null =>
      call.exchange.headers.idempotencyKey === null
        ? null
        : replayResponse(accounting, context.repeats, call, call.exchange.headers.idempotencyKey),
    chooseTarget: (call: Call): Deployment => chooseFirst(call, route()),
    callUpstream: callTarget,
    tryOthers: (account: CallAccount, error: unknown): Promise<UpstreamAnswer> =>
      retryOrFallBack(others, account, error),
    openAccount: (call: Call, target: Deployment): CallAccount | Promise<CallAccount> => {
      const opened = openAccount(accounting, call, target);
      return opened instanceof Promise ? waitForAccount(call, opened) : opened;
    },
    quoteCall: (call: Call, meanOutput: MeanOutput): Promise<CostQuote> => quoteCall(accounting, call, meanOutput),
    noteUnadmitted: (
      exchange: Exchange,
      caller: Caller | null,
      call: Call | null,
      operation: OperationName,
      error: unknown,
    ): void => {
      if (call !== null) endAttempt(call);
      context.observer?.callRefused(caller, call, operation, error);
      if (context.unadmitted === null) return;
      logUnadmitted(context.unadmitted, exchange, caller, call, operation, error);
    },
    relay: (account: CallAccount, answer: UpstreamAnswer): Promise<Failure | null> => {
      if (answer.otherModel === null) return relay(account, answer);
      const priced = chargeServedModel(served, account, answer.deployment, answer.otherModel);
      return priced.then(() => relay(account, answer));
    },
  };
}

/** Throws if the client has disconnected, so that no model is called. */
function stopIfGone({ exchange }: Call): void {
  if (exchange.isGone) throw clientDisconnected();
}

/**
 * Returns the owner used for fair sharing of capacity: the organization, or the operator if the key has no
 * organization.
 */
function ownerOf({ organizationId }: Caller): string {
  return organizationId ?? "operator";
}
