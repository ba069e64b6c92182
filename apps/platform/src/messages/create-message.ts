import { ChatResponse } from "@tollgate/contracts/chat/chat-response.ts";
import type { ErrorContext } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { MessageRequest } from "@tollgate/contracts/management/message.ts";
import type { CallableKey, KeyReference } from "@tollgate/db/keys/find-callable-key.ts";
import { hashApiKey, isWellFormedKey } from "@tollgate/domain/api-keys.ts";
import type { Caller } from "../caller.ts";
import { docsUrlOn } from "../choose-base-url.ts";
import { type Answer, operation, write } from "../operation.ts";
import type { Services } from "../services.ts";
import { callGateway } from "./call-gateway.ts";
import { findOwnKey } from "./find-own-key.ts";
import type { GatewayResponse } from "./gateway-caller.ts";
import { readRefusal } from "./read-refusal.ts";
import { rewrapStream } from "./rewrap-stream.ts";

const BODY_LIMIT = 20 * 1024 * 1024;
/** A gateway ends a call after at most ten minutes and should report the timeout itself. */
const TIMEOUT_MS = 630_000;

/**
 * Creates a chat completion for a signed-in user. The call is admitted, routed, held, and settled like any other call.
 */
export const createMessage = operation({
  ...write,
  id: "createMessage",
  summary: "Create a chat completion",
  tag: "messages",
  path: "/api/gw/messages",
  auth: "user",
  scope: "own",
  // Every request makes a new call. Responses aren't stored for replay, and streams can't be stored.
  idempotency: "none",
  bodyLimitBytes: BODY_LIMIT,
  timeoutMs: TIMEOUT_MS,
  body: MessageRequest,
  answers: { 200: { description: "A chat completion, or its events when `stream` is true", schema: ChatResponse } },
  handle: async ({ body: { apiKey, ...chat }, caller, headers, origin, signal }, services) => {
    const key = await findKey(apiKey, caller, services);
    const response = await callGateway(services, {
      keyId: key.id,
      endpoint: "platform.messages",
      method: "POST",
      path: "/v1/chat/completions",
      body: { contentType: "application/json", bytes: Buffer.from(JSON.stringify(chat)) },
      requestId: origin.requestId,
      signal,
    });
    if (response.status !== 200) throw readRefusal(response, await readAll(response.body), key.blockedReason);
    const { requestId } = origin;
    return handOn(response, { requestId, docsUrl: docsUrlOn(headers.host, services.settings()) });
  },
});

/** Returns a key that the caller may use and that isn't revoked. */
async function findKey(apiKey: string, caller: Caller, services: Services): Promise<CallableKey> {
  const key = await findOwnKey(readReference(apiKey), caller, services);
  if (key.isRevoked) throw new Failure("INVALID_API_KEY", "This API key was revoked.");
  return key;
}

function readReference(apiKey: string): KeyReference {
  if (apiKey.includes("…") || apiKey.includes("...")) {
    throw new Failure("MASKED_KEY", "This is a masked key. Send the key's ID or full secret.");
  }
  if (/^key_\w+$/.test(apiKey)) return { kind: "id", id: apiKey };
  if (isWellFormedKey(apiKey)) return { kind: "secret", hash: hashApiKey(apiKey) };
  throw new Failure("INVALID_API_KEY", "apiKey must be a key ID (key_…) or a full secret (sk-…).");
}

async function handOn(response: GatewayResponse, context: ErrorContext): Promise<Answer> {
  const contentType = response.headers["content-type"] ?? "application/json";
  const own = Object.entries(response.headers).filter(([name]) => name.startsWith("x-gw-"));
  const headers = Object.fromEntries(own);
  if (contentType.startsWith("text/event-stream")) {
    const streaming = { ...headers, "cache-control": "no-cache", "x-accel-buffering": "no" };
    return { status: 200, headers: streaming, raw: { contentType, content: rewrapStream(response.body, context) } };
  }
  return { status: 200, headers, raw: { contentType, content: await readAll(response.body) } };
}

async function readAll(body: AsyncIterable<Buffer>): Promise<Buffer> {
  try {
    return Buffer.concat(await Array.fromAsync(body));
  } catch (cause) {
    throw new Failure("UPSTREAM_FAILED", "The gateway's response was cut off. Try again.", { cause });
  }
}
