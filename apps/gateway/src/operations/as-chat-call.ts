import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import type { CallBody } from "../call/call-body.ts";
import type { TranslatedCall } from "../call/provider.ts";

/**
 * Adapts the call for a chat translation. The body is still that of the original operation, so it lacks chat fields
 * that a translation may use to read a response.
 */
export function asChatCall(call: TranslatedCall, wantsUsage: boolean): TranslatedCall<ChatRequest> {
  return {
    operation: "chat.completions",
    get body() {
      return call.body as CallBody<ChatRequest>;
    },
    model: call.model,
    answerForm: call.answerForm,
    isStream: call.isStream,
    wantsUsage,
    hops: call.hops,
    outputLimit: call.outputLimit,
    ...(call.parts !== undefined && { parts: call.parts }),
    ...(call.target !== undefined && { target: call.target }),
  };
}

/** Creates a chat body that replaces another operation's body. Strings in `fields` are decoded text. */
export function toChatBody(body: CallBody, fields: object): CallBody<ChatRequest> {
  const bytes = Buffer.from(JSON.stringify(fields), "utf8");
  const scan = scanJsonBytes(bytes, "messages");
  if (scan.kind === "refused") throw new Failure("invalid_request", scan.reason);
  const request = JSON.parse(scan.text) as ChatRequest;
  return {
    bytes,
    members: scan.members,
    mustRebuild: request.extra_body != null,
    request,
    dropped: body.dropped,
    extraHeaders: body.extraHeaders,
    file: null,
  };
}
