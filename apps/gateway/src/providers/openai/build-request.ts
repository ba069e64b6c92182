import type { Secret } from "@tollgate/domain/secret.ts";
import type { PreparedTarget, Provider, TranslatedCall, UpstreamRequest, UpstreamTarget } from "../provider.ts";
import { type Edit, editBody, rebuildBody, toJsonBytes } from "./edit-body.ts";

/** How an upstream of this wire takes its key. */
export type AuthHeader = (secret: string) => readonly [name: string, value: string];

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

/** The upstream request for a chat call: the caller's bytes with the model's name, and whatever is ours, changed. */
export function buildChatRequest(
  call: TranslatedCall,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  limitParam: Provider["outputLimitParam"],
): UpstreamRequest {
  const { body, outputLimit } = call;
  const edits: Edit[] = [{ name: "model", json: target.prepared.modelJson }];
  // Usage is always asked for, because billing needs it; the relay hides it again from clients that did not.
  const asksUsage = call.wantsUsage && !dropped.has("stream_options");
  if (call.isStream && !asksUsage) edits.push({ name: "stream_options", json: streamOptionsWithUsage(call) });
  if (outputLimit !== null) edits.push({ name: limitParam, json: String(outputLimit) });
  const text = body.mustRebuild ? rebuildBody(body, edits, dropped) : editBody(body, edits, dropped);
  return { path: "/chat/completions", headers: requestHeaders(call, target), body: Buffer.from(text, "latin1") };
}

function streamOptionsWithUsage(call: TranslatedCall): string {
  const given = call.body.request.stream_options;
  return given == null ? USAGE_ASKED : toJsonBytes({ ...given, include_usage: true });
}

function requestHeaders(call: TranslatedCall, { prepared }: UpstreamTarget): readonly string[] {
  const usual = call.isStream ? prepared.streamHeaders : prepared.headers;
  const { extraHeaders } = call.body;
  if (call.hops === 0 && extraHeaders.length === 0) return usual;
  return [...usual.slice(0, -1), String(call.hops + 1), ...extraHeaders];
}
