import type { JsonObject, JsonValue, Operation, Progress } from "../handlers.ts";
import { type EncodedBody, encodeBody } from "../wire/encode-body.ts";
import type { StoredBytes } from "../wire/stored-bytes.ts";

/** What train and evaluate are asked with. */
export interface ModelRequest {
  readonly parameters: StoredBytes | null;
  /** Left out: the participant's own data. */
  readonly dataset?: JsonValue;
  readonly config?: JsonObject;
  readonly round?: number;
}

/** What aggregate is asked with. */
export interface AggregateRequest {
  readonly parametersList: readonly StoredBytes[];
  readonly weights?: readonly number[];
  readonly config?: JsonObject;
  readonly round?: number;
}

export interface CallOptions {
  /** Makes the call repeatable: the same key joins the running job or fetches its result. */
  readonly idempotencyKey?: string;
  readonly runId?: string;
  /** After this the participant stops its function, and a little later the call gives up. */
  readonly timeoutSeconds?: number;
  /** Ends the call, not the job: that goes on under its key until `cancel`. */
  readonly signal?: AbortSignal;
  /** The longest answer that is read, where less than the client's own limit is to be expected. */
  readonly maxAnswerBytes?: number;
  /** Told about once a second while the job runs, where the participant can say. */
  readonly onProgress?: (progress: Progress) => void;
  /** Told as soon as the job has a name. */
  readonly onJob?: (jobId: string) => void;
}

/** What a participant can do beyond the three calls; null for one that knows nothing else. */
export interface Abilities {
  readonly frames: boolean;
}

/** The body of a call in the best form the participant reads. One that knows only the three calls gets only theirs. */
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
  // Absent values are left out by the encoder, as JSON does.
  const plain = fields as JsonObject;
  if (!abilities.frames) return encodeBody(plain, blobs, "json");
  try {
    return encodeBody(plain, blobs, "frames");
  } catch (error) {
    // A long inline dataset does not fit into a frames header; JSON has no such limit.
    if (error instanceof RangeError) return encodeBody(plain, blobs, "json");
    throw error;
  }
}

/** The headers a call's options turn into. */
export function describeCall(request: { readonly round?: number }, options: CallOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  if (options.idempotencyKey !== undefined) headers["idempotency-key"] = options.idempotencyKey;
  if (options.runId !== undefined) headers["x-run-id"] = options.runId;
  if (request.round !== undefined) headers["x-round"] = String(request.round);
  if (options.timeoutSeconds !== undefined) headers["x-timeout-seconds"] = String(options.timeoutSeconds);
  return headers;
}
