import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import Type from "typebox";
import { callGateway } from "../messages/call-gateway.ts";
import { findOwnKey } from "../messages/find-own-key.ts";
import type { GatewayResponse } from "../messages/gateway-caller.ts";
import { type Answer, type ManagementOperation, operation, read, write } from "../operation.ts";
import type { RelayedOperation } from "./relayed-operations.ts";

const BODY_LIMIT = 20 * 1024 * 1024;
/** A gateway ends a call after at most ten minutes and should report the timeout itself. */
const TIMEOUT_MS = 630_000;
const KEY_HEADER = "x-gw-key";
/** Characters that an ID in a path may contain, so that the ID can't lead to a different path. */
const SAFE_ID = /^[\w-]{1,200}$/;

/**
 * Relays a gateway operation for a signed-in user, with one of the user's keys but without the key's secret. The
 * gateway admits and bills the call as usual, and its responses and errors are returned unchanged.
 */
export function relay({ id, method, path, isForm }: RelayedOperation): ManagementOperation {
  const mediaType = isForm === true ? "multipart/form-data" : "application/json";
  const hasBody = method === "POST";
  return operation({
    ...(hasBody ? write : read),
    method,
    id: `relay${id.charAt(0).toUpperCase()}${id.slice(1)}`,
    summary: `Call the gateway operation ${id} with one of your keys`,
    tag: "relay",
    path: `/api/gw/relay${path}` as `/api/${string}`,
    auth: "user",
    scope: "own",
    // Every request makes a new call. Responses aren't stored for replay, and streams can't be stored.
    idempotency: "none",
    bodyLimitBytes: hasBody ? BODY_LIMIT : 0,
    timeoutMs: TIMEOUT_MS,
    ...(hasBody && {
      body: Type.Object({}, { additionalProperties: true }),
      bodyContentType: mediaType,
      isBodyRaw: true,
    }),
    headers: { "X-Gw-Key": "ID of a key in one of your teams (key_…)" },
    answers: { 200: { description: "The gateway's response, including streams and errors", schema: {} } },
    handle: async ({ caller, headers, params, search, rawBody, origin, signal }, services) => {
      const keyId = headers[KEY_HEADER];
      if (typeof keyId !== "string") throw invalidField(KEY_HEADER, "must be the ID of one of your keys (key_…)");
      const target = fillPath(path, params) + search;
      const key = await findOwnKey({ kind: "id", id: keyId }, caller, services);
      if (key.isRevoked) throw new Failure("KEY_REVOKED", "This API key was revoked. Choose another one.");
      const response = await callGateway(services, {
        keyId: key.id,
        endpoint: "platform.relay",
        method,
        path: target,
        body: hasBody ? { contentType: String(headers["content-type"] ?? mediaType), bytes: rawBody } : null,
        requestId: origin.requestId,
        signal,
      });
      return handOn(response);
    },
  });
}

function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? "";
    if (!SAFE_ID.test(value)) throw unknownObject("record");
    return value;
  });
}

/** Streams the response as it arrives, no faster than the client reads it. */
function handOn({ status, headers, body }: GatewayResponse): Answer {
  const own = Object.entries(headers).filter(([name]) => name.startsWith("x-gw-") || name === "retry-after");
  const contentType = headers["content-type"] ?? "application/json";
  const isStream = contentType.startsWith("text/event-stream");
  return {
    status,
    headers: {
      ...Object.fromEntries(own),
      ...(isStream && { "cache-control": "no-cache", "x-accel-buffering": "no" }),
    },
    raw: { contentType, content: body },
  };
}
