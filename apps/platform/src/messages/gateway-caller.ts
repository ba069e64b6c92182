import type { InternalTokenPurpose } from "../identity/token-issuer.ts";

/**
 * Sends requests to a gateway on behalf of a key. The gateway admits, holds, and settles them like any other request.
 */
export interface GatewayCaller {
  call(request: GatewayRequest): Promise<GatewayResponse>;
}

export interface GatewayRequest {
  readonly keyId: string;
  /** Endpoint to record in the usage log. */
  readonly endpoint: InternalTokenPurpose;
  readonly method: "GET" | "POST" | "DELETE";
  /** Path with its query, such as `/v1/models?only=these`. */
  readonly path: string;
  readonly body: { readonly contentType: string; readonly bytes: Buffer } | null;
  readonly requestId: string;
  /** Aborts the call when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}
