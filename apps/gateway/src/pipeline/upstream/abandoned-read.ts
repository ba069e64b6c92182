import { Failure } from "@tollgate/contracts/failures.ts";

/** The limit that ended a read without a client before the upstream reported its usage. */
export type ReadLimit = "timeout" | "size" | "credit" | "capacity" | "drain";

/**
 * The failure of an attempt that the gateway stopped reading although the upstream had not failed. This failure is
 * never sent to a client.
 */
export class AbandonedRead extends Failure {
  /** Null if the deployment aborts on disconnect, so that no limit was involved. */
  readonly limit: ReadLimit | null;
  /** True if the upstream may have received the request. Otherwise, it can't have billed the call. */
  readonly wasSent: boolean;

  constructor(limit: ReadLimit | null, wasSent: boolean) {
    super("invalid_request", "The gateway stopped reading the response after the client had disconnected.");
    this.limit = limit;
    this.wasSent = wasSent;
  }
}
