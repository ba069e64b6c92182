import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { hasPath } from "../../pipeline/body/leave-out.ts";
import { requestHeaders } from "../prepare-target.ts";
import type { Provider, TranslatedCall, UpstreamRequest, UpstreamTarget } from "../provider.ts";
import { type Edit, editBody, rebuildBody } from "./edit-body.ts";
import type { FitParams } from "./fit-params.ts";

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
  if (call.isStream && !asksUsage) edits.push({ name: "stream_options", json: streamOptionsWithUsage(body.request) });
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
  const { body } = call;
  const mustRebuild = body.mustRebuild || hasPath(dropped);
  const text = mustRebuild ? rebuildBody(body, edits, dropped) : editBody(body, edits, dropped);
  return {
    path: operationPath(target, operation),
    headers: requestHeaders(call, target),
    body: Buffer.from(text, "latin1"),
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
export function streamOptionsWithUsage({ stream_options: given }: Pick<ChatRequest, "stream_options">): string {
  // The request's strings have one character per byte, so their JSON can be inserted into the body directly.
  return given == null ? USAGE_ASKED : JSON.stringify({ ...given, include_usage: true });
}
