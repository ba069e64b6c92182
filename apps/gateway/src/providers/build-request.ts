import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import { type CallBody, readableMember } from "../call/call-body.ts";
import type { PreparedTarget, Provider, TranslatedCall, UpstreamRequest, UpstreamTarget } from "../call/provider.ts";
import { type Edit, editBytes, toJsonBytes } from "../wire/edit-body.ts";
import type { FitParams } from "./openai/fit-request.ts";

/** Builds the header that contains an upstream's API key. */
export type AuthHeader = (secret: string) => readonly [name: string, value: string];

/** The bearer token header that most upstreams use. */
export const bearer: AuthHeader = (secret) => ["authorization", `Bearer ${secret}`];

/**
 * Prepares the data that every call to this target shares. `own` lists additional headers that the provider requires.
 */
export function prepareTarget(
  upstreamModel: string,
  apiKey: Secret | null,
  auth: AuthHeader,
  own: readonly string[] = [],
): PreparedTarget {
  const headers = (...accept: readonly string[]): readonly string[] => [
    "content-type",
    "application/json",
    ...accept,
    // The gateway never decompresses responses.
    "accept-encoding",
    "identity",
    ...own,
    ...(apiKey === null ? [] : auth(apiKey.reveal())),
    // This header must be last, because `requestHeaders` replaces the last value.
    "x-gw-hops",
    "1",
  ];
  return {
    modelJson: toJsonBytes(upstreamModel),
    headers: headers(),
    streamHeaders: headers("accept", "text/event-stream"),
  };
}

/**
 * Returns a call's headers: the prepared headers, unless the call has extra headers or came through another gateway.
 */
export function requestHeaders(call: TranslatedCall, { prepared }: UpstreamTarget): readonly string[] {
  const usual = call.answerForm === "events" ? prepared.streamHeaders : prepared.headers;
  const { extraHeaders } = call.body;
  if (call.hops === 0 && extraHeaders.length === 0) return usual;
  return [...usual.slice(0, -1), String(call.hops + 1), ...extraHeaders];
}

const USAGE_ASKED = '{"include_usage":true}';

/** Upstream-specific differences in chat requests. */
export interface ChatQuirks {
  readonly limitParam: Provider["outputLimitParam"];
  /** True if usage must be requested in streams. */
  readonly asksForUsage: boolean;
  readonly fit: FitParams | null;
}

/**
 * Builds the upstream request for a chat call: the caller's bytes with the upstream model name and the gateway's edits.
 */
export function buildChatRequest(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  { limitParam, asksForUsage, fit }: ChatQuirks,
): UpstreamRequest {
  const { body, outputLimit } = call;
  const edits: Edit[] = [modelEdit(target)];
  const asksUsage = !asksForUsage || (call.wantsUsage && !dropped.has("stream_options"));
  if (call.isStream && !asksUsage) edits.push({ name: "stream_options", json: streamOptionsWithUsage(body) });
  if (outputLimit !== null) edits.push({ name: limitParam, json: String(outputLimit) });
  const left = fit === null ? dropped : fit(call, target, edits, dropped);
  return editRequest(call, target, "/chat/completions", edits, left);
}

/**
 * Builds a request to an operation's path under the target's base URL. Its body is the caller's bytes with these edits.
 */
export function editRequest(
  call: TranslatedCall,
  target: UpstreamTarget,
  operation: string,
  edits: readonly Edit[],
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  return {
    path: operationPath(target, operation),
    headers: requestHeaders(call, target),
    body: editBytes(call.body, edits, dropped),
  };
}

/** Returns an operation's path under the target's base URL. */
export function operationPath({ prepared: { path } }: UpstreamTarget, operation: string): string {
  return path === undefined ? operation : path.prefix + operation + path.suffix;
}

/** Replaces the caller's model name with the upstream's. */
export function modelEdit({ prepared }: UpstreamTarget): Edit {
  return { name: "model", json: prepared.modelJson };
}

/**
 * Returns stream options that always request usage, because billing needs it. The relay removes the usage for clients
 * that didn't request it.
 */
export function streamOptionsWithUsage(body: Pick<CallBody, "bytes" | "members">): string {
  const given = readableMember(body, "stream_options") as object | null | undefined;
  return given == null ? USAGE_ASKED : toJsonBytes({ ...given, include_usage: true });
}
