import { type HrTime, SpanKind, SpanStatusCode, TraceFlags, ValueType } from "@opentelemetry/api";
import type { InstrumentationScope } from "@opentelemetry/core";
import {
  type IExportTraceServiceResponse,
  type ISerializer,
  JsonTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { FinishedSpan, HistogramMetric } from "../telemetry/collector.ts";
import { fractionAttributes } from "../telemetry/gen-ai-names.ts";

/** The process and the program that export. */
export interface Origin {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
}

const MICRO_PER_MS = 1_000;
const MICRO_PER_SECOND = 1_000_000;
const NANO_PER_MICRO = 1_000;
const NO_TIME: HrTime = [0, 0];

/** Returns the span in the form that OpenTelemetry's exporter takes. */
export function toReadableSpan(span: FinishedSpan, { resource, scope }: Origin): ReadableSpan {
  const { traceId, spanId, parentSpanId } = span;
  const isServer = span.kind === "server";
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  return {
    name: span.name,
    kind: isServer ? SpanKind.SERVER : SpanKind.CLIENT,
    spanContext: () => context,
    ...(parentSpanId !== null && { parentSpanContext: { ...context, spanId: parentSpanId, isRemote: isServer } }),
    startTime: toHrTime(span.startedAtMs),
    endTime: toHrTime(span.endedAtMs),
    status: { code: span.hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: [],
    events: [],
    // The exporter sends the two times instead.
    duration: NO_TIME,
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Returns the metrics in the form that OpenTelemetry's exporter takes. */
export function toResourceMetrics(metrics: readonly HistogramMetric[], { resource, scope }: Origin): ResourceMetrics {
  return { resource, scopeMetrics: [{ scope, metrics: metrics.map(toMetricData) }] };
}

function toMetricData({ name, unit, points }: HistogramMetric): HistogramMetricData {
  return {
    descriptor: { name, unit, description: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: points.map(({ attributes, startedAtMs, atMs, count, sum, bounds, counts }) => ({
      attributes,
      startTime: toHrTime(startedAtMs),
      endTime: toHrTime(atMs),
      value: { count, sum, buckets: { boundaries: bounds, counts } },
    })),
  };
}

/** Converts Unix milliseconds to seconds and nanoseconds, exact to the microsecond. */
function toHrTime(unixMs: number): HrTime {
  const micros = Math.round(unixMs * MICRO_PER_MS);
  return [Math.trunc(micros / MICRO_PER_SECOND), (micros % MICRO_PER_SECOND) * NANO_PER_MICRO];
}

/** Matches an attribute that is encoded as an integer. Quotation marks in a text are escaped, so no text matches. */
const wholeFraction = new RegExp(
  `("key":"(?:${fractionAttributes.join("|").replaceAll(".", "\\.")})","value":{)"intValue":`,
  "g",
);

/**
 * Encodes spans as OTLP/JSON. OpenTelemetry encodes each whole number as an integer. An attribute that can have a
 * fraction is always a double here, because some trace stores take an attribute's type from its first value.
 */
export const traceSerializer: ISerializer<ReadableSpan[], IExportTraceServiceResponse> = {
  serializeRequest: (spans) => {
    const text = new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans));
    return new TextEncoder().encode(text.replace(wholeFraction, '$1"doubleValue":'));
  },
  deserializeResponse: (response) => JsonTraceSerializer.deserializeResponse(response),
};
