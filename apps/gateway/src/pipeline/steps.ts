import { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ModelLookup } from "../model-list/model-lookup.ts";
import { admitCaller } from "./admit.ts";
import { authenticate, type KeyDirectory } from "./authenticate.ts";
import type { ChatCall } from "./call.ts";
import { callUpstream, type UpstreamAnswer } from "./call-upstream.ts";
import type { Caller } from "./caller.ts";
import { chooseTarget } from "./choose-targets.ts";
import type { LiveCalls } from "./live-calls.ts";
import { readChatCall, readJsonBody } from "./read-call.ts";
import { type CallRecord, costOf, type UsageRecorder } from "./record-usage.ts";
import { type RelayOutcome, type RelaySettings, relayAnswer, relayStream } from "./relay.ts";

/** What the steps of a call need from outside. Settings and models are swapped whole on a reload. */
export interface CallContext {
  readonly current: () => { readonly settings: Settings; readonly models: ModelLookup };
  readonly keys: KeyDirectory;
  readonly live: LiveCalls;
  readonly recorder: UsageRecorder;
  readonly now: () => number;
  /** Unix time in milliseconds, for what is compared with the calendar. */
  readonly wallClock: () => number;
  readonly random: () => number;
}

/** The steps of a call in order, with what they need already in hand. */
export type CallSteps = ReturnType<typeof createSteps>;

export function createSteps(context: CallContext) {
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
      authenticate(
        exchange.headers.keys,
        exchange.request.keyHeaders,
        context.keys,
        context.wallClock(),
        exchange.lastKey,
      ),
    admit: (caller: Caller, operation: OperationDescription): void => admitCaller(caller, operation),
    readBody: (exchange: Exchange): Promise<Buffer> => readJsonBody(exchange, context.current().settings),
    readCall: (exchange: Exchange, caller: Caller, bytes: Buffer): ChatCall => {
      const { settings, models } = context.current();
      return readChatCall(exchange, caller, bytes, models, settings);
    },
    chooseTarget: (call: ChatCall): Deployment => chooseTarget(call.model, context.random),
    callUpstream: (call: ChatCall, target: Deployment): Promise<UpstreamAnswer> =>
      callUpstream(call, target, context.live, context.now),
    relayAnswer: (call: ChatCall, answer: UpstreamAnswer): RelayOutcome => relayAnswer(call, answer, relaySettings()),
    relayStream: (call: ChatCall, answer: UpstreamAnswer): Promise<RelayOutcome> =>
      relayStream(call, answer, relaySettings()),
    recordUsage: (call: ChatCall, answer: UpstreamAnswer, outcome: RelayOutcome): void => {
      const { usage, status, failure } = outcome;
      context.recorder(recordOf(call, answer.deployment, status, failure, usage, context));
    },
    recordFailure: (call: ChatCall, target: Deployment, error: unknown): void => {
      // What went wrong after the client had gone is nobody's failure.
      const isGone = call.exchange.isGone;
      const failure = error instanceof Failure && !isGone ? error : null;
      context.recorder(recordOf(call, target, isGone ? "client_disconnect" : "failure", failure, NO_USAGE, context));
    },
  };
}

function recordOf(
  call: ChatCall,
  deployment: Deployment,
  status: CallRecord["status"],
  failure: Failure | null,
  usage: Usage,
  context: CallContext,
): CallRecord {
  const { exchange, caller, model } = call;
  return {
    eventId: exchange.eventId,
    callId: exchange.callId,
    endedAtMs: context.wallClock(),
    durationMs: context.now() - exchange.startedAtMs,
    status,
    statusCode: failure?.status ?? (status === "client_disconnect" ? 499 : status === "failure" ? 500 : 200),
    errorCode: failure?.code ?? null,
    modelGroup: model.groupName,
    deploymentId: deployment.id,
    provider: deployment.provider.name,
    keyId: caller.keyId,
    keyName: caller.keyName,
    teamId: caller.teamId,
    organizationId: caller.organizationId,
    usage,
    cost: costOf(deployment, usage),
    isStream: call.isStream,
  };
}
