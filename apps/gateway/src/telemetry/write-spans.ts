import { Failure } from "@tollgate/contracts/failures.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../model-list/deployment.ts";
import { providerNameOf } from "../model-list/describe-model.ts";
import type { Call } from "../pipeline/call.ts";
import { ERROR_TYPE, genAi, genAiOperations, genAiProvider, HTTP_STATUS } from "./gen-ai-names.ts";
import { AttributesText, SPAN_KIND_CLIENT, SPAN_KIND_SERVER, writeSpan } from "./otlp.ts";
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

export interface SpanForm {
  /** Unix time in milliseconds at which the exchange clock was zero. */
  readonly originMs: number;
  readonly sendsFormerNames: boolean;
}

const NANO_PER_USD = 1e9;
const MS_PER_SECOND = 1_000;
const OK = 200;
const CLIENT_CLOSED = "client_disconnect";

/**
 * Returns the spans of a finished call as JSON, one for the call and one per attempt. The spans contain no request or
 * response content.
 */
export function writeSpans(call: Call, trace: RecordedTrace, end: TracedEnd, form: SpanForm): readonly string[] {
  return [
    writeCall(call, trace, end, form),
    ...trace.attempts.map((attempt) => writeAttempt(call, trace, attempt, end, form)),
  ];
}

function writeCall(call: Call, trace: RecordedTrace, end: TracedEnd, form: SpanForm): string {
  const { exchange, caller } = call;
  const model = call.fallbackFrom ?? call.model.name;
  const operation = genAiOperations[call.operation];
  const error = errorTypeOf(end.error, exchange.isGone);
  const attributes = new AttributesText().text(genAi.operation, operation).text(genAi.requestModel, model);
  addProvider(attributes, end.deployment, form);
  addAnswer(attributes, call, trace, end);
  attributes
    .text(ERROR_TYPE, error)
    .count(HTTP_STATUS, end.error instanceof Failure ? end.error.status : error === null ? OK : null)
    .text("gw.call.id", exchange.callId)
    .text("gw.organization.id", caller.organizationId)
    .text("gw.team.id", caller.teamId)
    .text("gw.key.id", caller.keyId)
    .text("gw.deployment.id", end.deployment?.id ?? null)
    .text("gw.fallback_from", call.fallbackFrom)
    .count("gw.attempts", call.attempts)
    .fraction("gw.cost_usd", Number(end.cost) / NANO_PER_USD)
    .fraction("gw.queue_seconds", (exchange.queuedMs + call.waitedMs) / MS_PER_SECOND);
  return writeSpan({
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    name: `${operation} ${model}`,
    kind: SPAN_KIND_SERVER,
    startedAtMs: form.originMs + exchange.startedAtMs,
    endedAtMs: form.originMs + end.endedAtMs,
    attributes,
    hasFailed: error !== null,
  });
}

function writeAttempt(
  call: Call,
  trace: RecordedTrace,
  attempt: TracedAttempt,
  end: TracedEnd,
  form: SpanForm,
): string {
  const { deployment } = attempt;
  const operation = genAiOperations[call.operation];
  // An attempt without a recorded failure ended together with the call.
  const isLast = attempt.endedAtMs === null;
  const error = errorTypeOf(isLast ? end.error : attempt.error, isLast && call.exchange.isGone);
  const attributes = new AttributesText()
    .text(genAi.operation, operation)
    .text(genAi.requestModel, deployment.upstreamModel)
    .text("gw.deployment.id", deployment.id)
    .text(ERROR_TYPE, error);
  addProvider(attributes, deployment, form);
  if (isLast) addAnswer(attributes, call, trace, end);
  return writeSpan({
    traceId: trace.traceId,
    spanId: attempt.spanId,
    parentSpanId: trace.spanId,
    name: `${operation} ${deployment.upstreamModel}`,
    kind: SPAN_KIND_CLIENT,
    startedAtMs: form.originMs + attempt.sentAtMs,
    endedAtMs: form.originMs + (attempt.endedAtMs ?? end.endedAtMs),
    attributes,
    hasFailed: error !== null,
  });
}

function addProvider(attributes: AttributesText, deployment: Deployment | null, { sendsFormerNames }: SpanForm): void {
  if (deployment === null) return;
  const provider = genAiProvider(providerNameOf(deployment));
  attributes.text(genAi.provider, provider);
  if (sendsFormerNames) attributes.text(genAi.formerProvider, provider);
}

function addAnswer(
  attributes: AttributesText,
  call: Call,
  trace: RecordedTrace,
  { usage, firstTokenMs }: TracedEnd,
): void {
  const { reasons, model } = trace.end;
  attributes.text(genAi.responseModel, model).texts(genAi.finishReasons, reasons);
  if (call.isStream && firstTokenMs !== null) {
    const waitedMs = firstTokenMs - (call.sentAtMs - call.exchange.startedAtMs);
    attributes.fraction(genAi.firstChunk, waitedMs / MS_PER_SECOND);
  }
  if (usage === NO_USAGE) return;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  // The conventions include cached tokens in the input count.
  attributes
    .count(genAi.inputTokens, inputTokens + cacheReadTokens + cacheWriteTokens)
    .count(genAi.outputTokens, outputTokens);
  if (cacheReadTokens > 0) attributes.count(genAi.cacheReadTokens, cacheReadTokens);
  if (cacheWriteTokens > 0) attributes.count(genAi.cacheWriteTokens, cacheWriteTokens);
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
