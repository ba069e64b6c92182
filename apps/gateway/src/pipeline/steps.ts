import { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ModelLookup } from "../model-list/model-lookup.ts";
import { admitCaller } from "./admit.ts";
import { authenticate, type KeyDirectory } from "./authenticate.ts";
import { authenticateInternal, type InternalCallers } from "./authenticate-internal.ts";
import type { ChatCall } from "./call.ts";
import type { CallAccount } from "./call-account.ts";
import { callUpstream, type UpstreamAnswer } from "./call-upstream.ts";
import type { Caller } from "./caller.ts";
import { chooseTarget } from "./choose-targets.ts";
import type { ContentLog } from "./content-log.ts";
import type { LiveCalls } from "./live-calls.ts";
import { noteRefusal, type RefusalLog } from "./note-refusal.ts";
import { type Desk, openAccount } from "./open-account.ts";
import { readChatCall, readJsonBody } from "./read-call.ts";
import type { UsageRecorder } from "./record-usage.ts";
import { relayAnswer } from "./relay-answer.ts";
import { type RelaySettings, relayStream } from "./relay-stream.ts";

/** Where calls are accounted for: the part of a desk that is not the gateway's own. */
export type Accounting = Pick<Desk, "holds" | "limits" | "journal" | "prices">;

/** What the steps of a call need from outside. Settings and models are swapped whole on a reload. */
export interface CallContext {
  readonly current: () => { readonly settings: Settings; readonly models: ModelLookup };
  readonly keys: KeyDirectory;
  /** For calls that another process of this installation makes; null when there is none. */
  readonly internalCallers: InternalCallers | null;
  readonly live: LiveCalls;
  readonly accounting: Accounting;
  readonly recorder: UsageRecorder | null;
  /** Keeps what was asked and answered, for those who want that; null when nothing can be kept. */
  readonly contents: ContentLog | null;
  /** Hears of refused calls; null when nobody looks. */
  readonly refusals: RefusalLog | null;
  readonly now: () => number;
  /** Unix time in milliseconds, for what is compared with the calendar. */
  readonly wallClock: () => number;
  readonly random: () => number;
}

/** The steps of a call in order, with what they need already in hand. */
export type CallSteps = ReturnType<typeof createSteps>;

export function createSteps(context: CallContext) {
  const desk: Desk = {
    ...context.accounting,
    settings: () => context.current().settings,
    recorder: context.recorder,
    contents: context.contents,
    now: context.now,
    wallClock: context.wallClock,
  };
  let relaySource: Settings | null = null;
  let relay = {} as RelaySettings;
  const relaySettings = (): RelaySettings => {
    const { settings } = context.current();
    if (settings === relaySource) return relay;
    relaySource = settings;
    relay = {
      codeStyle: settings.gateway.errorCodeStyle,
      exposesUpstream: settings.general.exposeUpstreamHeaders,
      now: context.now,
      live: context.live,
    };
    return relay;
  };
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
    admitCaller: (caller: Caller, operation: OperationDescription): void => admitCaller(caller, operation),
    readBody: (exchange: Exchange): Promise<Buffer> => readJsonBody(exchange, context.current().settings),
    readCall: (exchange: Exchange, caller: Caller, bytes: Buffer): ChatCall => {
      const { settings, models } = context.current();
      return readChatCall(exchange, caller, bytes, models, settings);
    },
    chooseTarget: (call: ChatCall): Deployment => chooseTarget(call.model, context.random),
    callUpstream: (call: ChatCall, target: Deployment): Promise<UpstreamAnswer> =>
      callUpstream(call, target, context.live, context.now),
    openAccount: (call: ChatCall, target: Deployment): CallAccount | Promise<CallAccount> =>
      openAccount(desk, call, target),
    noteRefusal: (exchange: Exchange, caller: Caller | null, call: ChatCall | null, error: unknown): void => {
      if (context.refusals !== null) noteRefusal(context.refusals, context.keys, exchange, caller, call, error);
    },
    relayAnswer: (account: CallAccount, answer: UpstreamAnswer): Promise<void> =>
      relayAnswer(account, answer, relaySettings().exposesUpstream),
    relayStream: (account: CallAccount, answer: UpstreamAnswer): Promise<void> =>
      relayStream(account, answer, relaySettings()),
    closeFailed: (account: CallAccount, error: unknown): void => {
      if (account.isClosed) return;
      // What went wrong after the client had gone is nobody's failure.
      const { isGone } = account.call.exchange;
      const failure = error instanceof Failure && !isGone ? error : null;
      const status = isGone ? "client_disconnect" : "failure";
      account.close({ status, failure, usage: NO_USAGE, firstTokenMs: null }, null);
    },
  };
}
