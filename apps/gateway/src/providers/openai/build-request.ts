import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { PreparedTarget, Provider, TranslatedCall, UpstreamRequest, UpstreamTarget } from "../provider.ts";
import { type Edit, editBody, rebuildBody, toJsonBytes } from "./edit-body.ts";
import type { FitParams } from "./fit-params.ts";
import type { AuthHeader } from "./wire.ts";

export const bearer: AuthHeader = (secret) => ["authorization", `Bearer ${secret}`];

const USAGE_ASKED = '{"include_usage":true}';

/** What every call to this model sends alike. */
export function prepareTarget(upstreamModel: string, apiKey: Secret | null, auth: AuthHeader): PreparedTarget {
  const headers = (...accept: readonly string[]): readonly string[] => [
    "content-type",
    "application/json",
    ...accept,
    // Nothing is ever decompressed in this process.
    "accept-encoding",
    "identity",
    ...(apiKey === null ? [] : auth(apiKey.reveal())),
    "x-gw-hops",
    "1",
  ];
  return {
    modelJson: toJsonBytes(upstreamModel),
    headers: headers(),
    streamHeaders: headers("accept", "text/event-stream"),
  };
}

/** What a chat request of one upstream has of its own. */
export interface ChatHabits {
  readonly limitParam: Provider["outputLimitParam"];
  /** Whether usage must be asked for in a stream. */
  readonly asksForUsage: boolean;
  readonly fit: FitParams | null;
}

/** The upstream request for a chat call: the caller's bytes with the model's name, and whatever is ours, changed. */
export function buildChatRequest(
  call: TranslatedCall<ChatRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  { limitParam, asksForUsage, fit }: ChatHabits,
): UpstreamRequest {
  const { body, outputLimit } = call;
  const edits: Edit[] = [{ name: "model", json: target.prepared.modelJson }];
  // Usage is always asked for, because billing needs it; the relay hides it again from clients that did not.
  const asksUsage = !asksForUsage || (call.wantsUsage && !dropped.has("stream_options"));
  if (call.isStream && !asksUsage) edits.push({ name: "stream_options", json: streamOptionsWithUsage(call) });
  if (outputLimit !== null) edits.push({ name: limitParam, json: String(outputLimit) });
  const left = fit === null ? dropped : fit(call, target, edits, dropped);
  const text = body.mustRebuild ? rebuildBody(body, edits, left) : editBody(body, edits, left);
  return {
    path: operationPath(target, "/chat/completions"),
    headers: requestHeaders(call, target),
    body: Buffer.from(text, "latin1"),
  };
}

/** Where an operation is found under the target's address. */
export function operationPath({ prepared: { path } }: UpstreamTarget, operation: string): string {
  return path === undefined ? operation : path.prefix + operation + path.suffix;
}

function streamOptionsWithUsage(call: TranslatedCall<ChatRequest>): string {
  const given = call.body.request.stream_options;
  return given == null ? USAGE_ASKED : toJsonBytes({ ...given, include_usage: true });
}

/** The headers of one call: those of all calls, unless this one has its own or came through another gateway. */
export function requestHeaders(call: TranslatedCall, { prepared }: UpstreamTarget): readonly string[] {
  const usual = call.answerForm === "events" ? prepared.streamHeaders : prepared.headers;
  const { extraHeaders } = call.body;
  if (call.hops === 0 && extraHeaders.length === 0) return usual;
  return [...usual.slice(0, -1), String(call.hops + 1), ...extraHeaders];
}
