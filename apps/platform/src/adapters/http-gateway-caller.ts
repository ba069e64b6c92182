import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import type { GatewayCaller, GatewayRequest, GatewayResponse } from "../messages/gateway-caller.ts";
import { type GatewayAddress, requestGateway } from "./request-gateway.ts";

const CONNECT_LIMIT_MS = 5_000;

/** Calls a gateway over HTTP with an internal token, valid for one minute, instead of the API key. */
export function createGatewayCaller(
  address: () => GatewayAddress,
  issueInternalToken: (keyId: string, purpose: GatewayRequest["endpoint"]) => Promise<string>,
): GatewayCaller {
  return {
    call: async (call) => send(address(), call, await issueInternalToken(call.keyId, call.endpoint)),
  };
}

function send(address: GatewayAddress, call: GatewayRequest, pass: string): Promise<GatewayResponse> {
  return new Promise((resolve, reject) => {
    const request = requestGateway(address, call.path, {
      method: call.method,
      // Use a new connection per call. A reused connection may close while the call is being sent, and a call must not
      // be sent twice.
      agent: false,
      signal: call.signal,
      headers: {
        ...(call.body !== null && {
          "content-type": call.body.contentType,
          "content-length": call.body.bytes.length,
        }),
        "x-gw-internal": pass,
        "x-gw-call-id": call.requestId,
      },
    });
    const timer = setTimeout(() => request.destroy(new Error("could not connect to the gateway")), CONNECT_LIMIT_MS);
    request.once("socket", (socket) => {
      socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", () => clearTimeout(timer));
    });
    request.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    request.once("response", (response) => resolve(toResponse(response)));
    request.end(call.body?.bytes);
  });
}

function toResponse(response: IncomingMessage): GatewayResponse {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body: response };
}
