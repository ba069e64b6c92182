import type { Bytes, JsonObject, Operation } from "../handlers.ts";
import { ParticipantFailure } from "../participant-failure.ts";

/** A function's return value, split into response fields and parameters. */
export interface CheckedResult {
  readonly fields: JsonObject;
  readonly parameters?: Bytes;
}

/** Validates a return value. Throws INVALID_RESULT with the actual and the expected type. */
export function checkResult(operation: Operation, returned: unknown): CheckedResult {
  return operation === "evaluate" ? checkEvaluation(returned) : checkParameters(operation, returned);
}

function checkEvaluation(returned: unknown): CheckedResult {
  const result = typeof returned === "number" ? { accuracy: returned } : returned;
  if (!isObject(result) || typeof result.accuracy !== "number") {
    const found = isObject(result) && "accuracy" in result ? result.accuracy : returned;
    throw invalid(`evaluate returned ${nameType(found)}; expected a number`);
  }
  if (!Number.isFinite(result.accuracy)) throw invalid("evaluate returned an accuracy that is not finite");
  return { fields: { accuracy: result.accuracy, ...readExtras("evaluate", result) } };
}

function checkParameters(operation: Operation, returned: unknown): CheckedResult {
  const result = returned instanceof Uint8Array ? { parameters: returned } : returned;
  if (!isObject(result) || !(result.parameters instanceof Uint8Array)) {
    const found = isObject(result) && "parameters" in result ? result.parameters : returned;
    throw invalid(`${operation} returned ${nameType(found)}; expected bytes`);
  }
  const { parameters } = result;
  if (parameters.length === 0 && result.allowEmpty !== true) {
    throw invalid(`${operation} returned empty parameters; set allowEmpty if this is intended`);
  }
  return { fields: readExtras(operation, result), parameters };
}

/** Returns only the extra fields that the function returned, so that a basic caller sees no extensions. */
function readExtras(operation: Operation, { numExamples, metrics }: Record<string, unknown>): JsonObject {
  const fields: JsonObject = {};
  if (numExamples !== undefined && operation !== "aggregate") {
    if (!Number.isSafeInteger(numExamples) || (numExamples as number) < 0) {
      throw invalid(`${operation} returned num_examples that is not a non-negative integer`);
    }
    fields.num_examples = numExamples as number;
  }
  if (metrics !== undefined) {
    if (!isObject(metrics) || !Object.values(metrics).every(Number.isFinite)) {
      throw invalid(`${operation} returned metrics that are not finite numbers`);
    }
    fields.metrics = { ...(metrics as Record<string, number>) };
  }
  return fields;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Names a type in terms familiar to the function's author. */
function nameType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return typeof value;
  const name = value.constructor?.name;
  return name === undefined || name === "Object" ? "an object" : name;
}

function invalid(message: string): ParticipantFailure {
  return new ParticipantFailure("INVALID_RESULT", message);
}
