import { Failure } from "@tollgate/contracts/failures.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { providerNameOf } from "../models/describe-model.ts";
import { type FinishedSpan, type PossibleAttributes, presentAttributes } from "./collector.ts";
import {
  COST_USD,
  ERROR_TYPE,
  genAi,
  genAiOperations,
  genAiProvider,
  HTTP_STATUS,
  QUEUE_SECONDS,
} from "./gen-ai-names.ts";
import type { RecordedTrace, TracedAttempt } from "./recorded-trace.ts";

/** Outcome of a traced call. */
export interface TracedEnd {
  /** Null if the call was refused before a deployment was chosen. */
  readonly deployment: Deployment | null;
  readonly usage: Usage;
  readonly cost: NanoUsd;
  readonly error: unknown;
  readonly firstTokenMs: number | null;
  /** Time by the exchange's clock. */
  readonly endedAtMs: number;
}

interface SpanForm {
  /** Unix time in milliseconds at which the exchange clock was zero. */
  readonly originMs: number;
  readonly sendsFormerNames: boolean;
}

const NANO_PER_USD = 1e9;
const MS_PER_SECOND = 1_000;
const OK = 200;
const CLIENT_CLOSED = "client_disconnect";

/**
 * Returns the spans of a finished call, one for the call and one per attempt. The spans contain no request or response
 * content.
 */
export function buildSpans(call: Call, trace: RecordedTrace, end: TracedEnd, form: SpanForm): readonly FinishedSpan[] {
  return [
    spanOfCall(call, trace, end, form),
    ...trace.attempts.map((attempt) => spanOfAttempt(call, trace, attempt, end, form)),
  ];
}

function spanOfCall(call: Call, trace: RecordedTrace, end: TracedEnd, form: SpanForm): FinishedSpan {
  const { exchange, caller } = call;
  const model = call.fallbackFrom ?? call.model.name;
  const operation = genAiOperations[call.operation];
  const error = errorTypeOf(end.error, exchange.isGone);
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    name: `${operation} ${model}`,
    kind: "server",
    startedAtMs: form.originMs + exchange.startedAtMs,
    endedAtMs: form.originMs + end.endedAtMs,
    attributes: presentAttributes({
      [genAi.operation]: operation,
      [genAi.requestModel]: model,
      ...attributesOfProvider(end.deployment, form),
      ...attributesOfAnswer(call, trace, end),
      [ERROR_TYPE]: error,
      [HTTP_STATUS]: end.error instanceof Failure ? end.error.status : error === null ? OK : null,
      "gw.call.id": exchange.callId,
      "gw.organization.id": caller.organizationId,
      "gw.team.id": caller.teamId,
      "gw.key.id": caller.keyId,
      "gw.deployment.id": end.deployment?.id ?? null,
      "gw.fallback_from": call.fallbackFrom,
      "gw.attempts": call.attempts,
      [COST_USD]: Number(end.cost) / NANO_PER_USD,
      [QUEUE_SECONDS]: (exchange.queuedMs + call.waitedMs) / MS_PER_SECOND,
    }),
    hasFailed: error !== null,
  };
}

function spanOfAttempt(
  call: Call,
  trace: RecordedTrace,
  attempt: TracedAttempt,
  end: TracedEnd,
  form: SpanForm,
): FinishedSpan {
  const { deployment } = attempt;
  const operation = genAiOperations[call.operation];
  // An attempt without a recorded failure ended together with the call.
  const isLast = attempt.endedAtMs === null;
  const error = errorTypeOf(isLast ? end.error : attempt.error, isLast && call.exchange.isGone);
  return {
    traceId: trace.traceId,
    spanId: attempt.spanId,
    parentSpanId: trace.spanId,
    name: `${operation} ${deployment.upstreamModel}`,
    kind: "client",
    startedAtMs: form.originMs + attempt.sentAtMs,
    endedAtMs: form.originMs + (attempt.endedAtMs ?? end.endedAtMs),
    attributes: presentAttributes({
      [genAi.operation]: operation,
      [genAi.requestModel]: deployment.upstreamModel,
      "gw.deployment.id": deployment.id,
      [ERROR_TYPE]: error,
      ...attributesOfProvider(deployment, form),
      ...(isLast && attributesOfAnswer(call, trace, end)),
    }),
    hasFailed: error !== null,
  };
}

function attributesOfProvider(deployment: Deployment | null, { sendsFormerNames }: SpanForm): PossibleAttributes {
  if (deployment === null) return {};
  const provider = genAiProvider(providerNameOf(deployment));
  return { [genAi.provider]: provider, [genAi.formerProvider]: sendsFormerNames ? provider : null };
}

function attributesOfAnswer(call: Call, trace: RecordedTrace, { usage, firstTokenMs }: TracedEnd): PossibleAttributes {
  const { reasons, model } = trace.end;
  const waitedMs =
    call.isStream && firstTokenMs !== null ? firstTokenMs - (call.sentAtMs - call.exchange.startedAtMs) : null;
  return {
    [genAi.responseModel]: model,
    [genAi.finishReasons]: [...reasons],
    [genAi.firstChunk]: waitedMs === null ? null : waitedMs / MS_PER_SECOND,
    ...(usage !== NO_USAGE && attributesOfUsage(usage)),
  };
}

function attributesOfUsage({
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  outputTokens,
}: Usage): PossibleAttributes {
  return {
    // The conventions include cached tokens in the input count.
    [genAi.inputTokens]: inputTokens + cacheReadTokens + cacheWriteTokens,
    [genAi.outputTokens]: outputTokens,
    [genAi.cacheReadTokens]: cacheReadTokens > 0 ? cacheReadTokens : null,
    [genAi.cacheWriteTokens]: cacheWriteTokens > 0 ? cacheWriteTokens : null,
  };
}

/**
 * Returns the failure's code. The failure's message isn't exported, because it is for the caller and may contain
 * request content.
 */
function errorTypeOf(error: unknown, isGone: boolean): string | null {
  if (isGone) return CLIENT_CLOSED;
  if (error === null || error === undefined) return null;
  return error instanceof Failure ? error.code : "internal_error";
}
