import { Failure } from "@tollgate/contracts/failures.ts";

/** The limit that ended a read after the client had disconnected and before the upstream reported its usage. */
export type ReadLimit = "timeout" | "size" | "credit" | "capacity" | "drain";

/**
 * The failure of an attempt that the gateway stopped reading although the upstream had not failed. This failure is
 * never sent to a client.
 */
export class AbandonedRead extends Failure {
  /** Null if reading stopped for another reason, for example because the deployment aborts on disconnect. */
  readonly limit: ReadLimit | null;
  /** True if the upstream may have received the request. Otherwise, the upstream can't have billed the call. */
  readonly wasSent: boolean;

  constructor(limit: ReadLimit | null, wasSent: boolean) {
    super("invalid_request", "The gateway stopped reading the response after the client had disconnected.");
    this.limit = limit;
    this.wasSent = wasSent;
  }
}
