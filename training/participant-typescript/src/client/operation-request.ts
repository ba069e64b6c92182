import type { JsonObject, JsonValue, Operation, Progress } from "../handlers.ts";
import { type EncodedBody, encodeBody } from "../wire/encode-body.ts";
import type { StoredBytes } from "../wire/stored-bytes.ts";

/** Request fields for `train` and `evaluate`. */
export interface ModelRequest {
  readonly parameters: StoredBytes | null;
  /** If omitted, the participant uses its own data. */
  readonly dataset?: JsonValue;
  readonly config?: JsonObject;
  readonly round?: number;
}

/** Request fields for `aggregate`. */
export interface AggregateRequest {
  readonly parametersList: readonly StoredBytes[];
  readonly weights?: readonly number[];
  readonly config?: JsonObject;
  readonly round?: number;
}

export interface CallOptions {
  /** Makes the call repeatable: the same key joins the running job or returns its result. */
  readonly idempotencyKey?: string;
  readonly runId?: string;
  /** Time limit after which the participant stops its function. The call gives up a little later. */
  readonly timeoutSeconds?: number;
  /** Aborts the call but not the job, which continues under its key until `cancel` is called. */
  readonly signal?: AbortSignal;
  /** Maximum response size, if lower than the client's own limit. */
  readonly maxAnswerBytes?: number;
  /** Called about once a second while the job runs, if the participant reports progress. */
  readonly onProgress?: (progress: Progress) => void;
  /** Called as soon as the job has an ID. */
  readonly onJob?: (jobId: string) => void;
}

/** Participant features beyond the three basic calls; null if the participant has none. */
export interface Abilities {
  readonly frames: boolean;
}

/**
 * Encodes a call in the best format the participant supports. Basic participants receive only the fields of the three
 * basic calls.
 */
export function encodeRequest(
  operation: Operation,
  request: ModelRequest | AggregateRequest,
  abilities: Abilities | null,
): EncodedBody {
  const { parameters, parametersList, ...fields } = request as Partial<ModelRequest & AggregateRequest>;
  const blobs = { parameters, parametersList };
  if (abilities === null) {
    const dataset = fields.dataset ?? [];
    return encodeBody(operation === "aggregate" ? {} : { dataset }, blobs, "json");
  }
  // The encoder omits undefined values, as JSON does.
  const plain = fields as JsonObject;
  if (!abilities.frames) return encodeBody(plain, blobs, "json");
  try {
    return encodeBody(plain, blobs, "frames");
  } catch (error) {
    // A long inline dataset does not fit into a frames header, but JSON has no such limit.
    if (error instanceof RangeError) return encodeBody(plain, blobs, "json");
    throw error;
  }
}

/** Returns the headers for a call's options. */
export function describeCall(request: { readonly round?: number }, options: CallOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  if (options.idempotencyKey !== undefined) headers["idempotency-key"] = options.idempotencyKey;
  if (options.runId !== undefined) headers["x-run-id"] = options.runId;
  if (request.round !== undefined) headers["x-round"] = String(request.round);
  if (options.timeoutSeconds !== undefined) headers["x-timeout-seconds"] = String(options.timeoutSeconds);
  return headers;
}
