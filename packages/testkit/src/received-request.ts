import type { IncomingHttpHeaders } from "node:http";

/** A request as recorded by an upstream. Times are `performance.now()`. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Raw names and values in order, including duplicates. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Requests with the same number used the same connection. */
  readonly connection: number;
  readonly receivedAtMs: number;
  readonly bodyReadAtMs: number;
  /**
   * How the exchange ended; null while it is open. `aborted`: the client disconnected first. `cut`: the script closed
   * the connection.
   */
  readonly end: { readonly kind: "answered" | "aborted" | "cut"; readonly atMs: number } | null;
  json(): unknown;
}
