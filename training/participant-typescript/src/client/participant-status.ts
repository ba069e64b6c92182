import type { JsonObject, JsonValue, Operation } from "../handlers.ts";

/** Status reported by a participant. */
export interface ParticipantStatus {
  readonly apiVersion: string;
  readonly sdk: string;
  readonly handlers: Readonly<Record<Operation, boolean>>;
  readonly busy: boolean;
  /** Supported body formats: "json", "frames". */
  readonly formats: readonly string[];
  readonly datasets: readonly { readonly name: string; readonly rows?: number }[];
  readonly limits: JsonObject;
}

/**
 * Parses a status response. Returns null for any other response, such as one from another server or from a participant
 * with only the three basic calls.
 */
export function readParticipantStatus(body: JsonObject | undefined): ParticipantStatus | null {
  if (typeof body?.apiVersion !== "string") return null;
  const handlers = asObject(body.handlers);
  return {
    apiVersion: body.apiVersion,
    sdk: typeof body.sdk === "string" ? body.sdk : "",
    handlers: {
      train: handlers.train === true,
      evaluate: handlers.evaluate === true,
      aggregate: handlers.aggregate === true,
    },
    busy: body.busy === true,
    formats: asArray(body.formats).filter((format) => typeof format === "string"),
    datasets: asArray(body.datasets).map(asObject).map(readDataset),
    limits: asObject(body.limits),
  };
}

function readDataset({ name, rows }: JsonObject): { name: string; rows?: number } {
  return { name: String(name), ...(typeof rows === "number" ? { rows } : {}) };
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function asArray(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
