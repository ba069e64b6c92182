import { BYTES_PER_ELEMENT, elementCount, type TensorInfo } from "@tollgate/participant/formats/tensor-set.ts";
import type { JsonObject, JsonValue } from "@tollgate/participant/handlers.ts";
import { CallFailure } from "../participants/call-failure.ts";
import type { ParticipantPlan } from "../plan/plan.ts";

const MORE_BYTES = 32 * 1024 * 1024;
const MAX_METRICS = 100;
const METRIC = /^[A-Za-z0-9_.:/ -]{1,64}$/;

/** Returns the maximum response size for these tensors, including base64 overhead, headers, names, and metrics. */
export function answerLimit(tensors: ReadonlyMap<string, TensorInfo>): number {
  let bytes = MORE_BYTES;
  for (const { dtype, shape } of tensors.values()) bytes += 2 * BYTES_PER_ELEMENT[dtype] * elementCount(shape);
  return bytes;
}

/** Reads the metrics in a response: finite numbers with valid names, at most a hundred. */
export function readMetrics(fields: JsonObject): Record<string, number> {
  const { metrics } = fields;
  if (typeof metrics !== "object" || metrics === null || Array.isArray(metrics)) return {};
  const kept = Object.entries(metrics).filter(
    (entry): entry is [string, number] => METRIC.test(entry[0]) && isFiniteNumber(entry[1]),
  );
  return Object.fromEntries(kept.slice(0, MAX_METRICS));
}

/** Reads the number of examples; null if not reported. Throws CallFailure on an invalid count. */
export function readNumExamples(fields: JsonObject): number | null {
  const value = fields.num_examples ?? null;
  if (value === null || (Number.isSafeInteger(value) && (value as number) >= 0)) return value as number | null;
  throw new CallFailure("GARBAGE", "num_examples is not an integer of at least 0", 1);
}

/** Reads the accuracy of an evaluation: any finite number. */
export function readAccuracy(fields: JsonObject): number {
  if (isFiniteNumber(fields.accuracy)) return fields.accuracy;
  throw new CallFailure("GARBAGE", "accuracy is not a finite number", 1);
}

/**
 * Returns a participant's weight before the cap: its number of examples, else the number of rows that it was sent, else
 * one.
 */
export function weightOf(numExamples: number | null, { dataset }: ParticipantPlan): number {
  return numExamples ?? (Array.isArray(dataset) ? dataset.length : 1);
}

function isFiniteNumber(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
