import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { hasPath } from "../../pipeline/body/leave-out.ts";
import { requestHeaders } from "../prepare-target.ts";
import type { Provider, TranslatedCall, UpstreamRequest, UpstreamTarget } from "../provider.ts";
import { type Edit, editBody, rebuildBody } from "./edit-body.ts";
import type { FitParams } from "./fit-params.ts";

const USAGE_ASKED = '{"include_usage":true}';

/** What a chat request of one upstream has of its own. */
export interface ChatQuirks {
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

/** The caller's own bytes, with these edits, for an operation under the target's address. */
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

/** Where an operation is found under the target's address. */
export function operationPath({ prepared: { path } }: UpstreamTarget, operation: string): string {
  return path === undefined ? operation : path.prefix + operation + path.suffix;
}

/** The upstream's own name for the model in place of the caller's. */
export function modelEdit({ prepared }: UpstreamTarget): Edit {
  return { name: "model", json: prepared.modelJson };
}

/** Usage is always asked for, because billing needs it; the relay hides it again from clients that did not. */
export function streamOptionsWithUsage({ stream_options: given }: Pick<ChatRequest, "stream_options">): string {
  // Strings of the request are bytes already, so its JSON is what a body of bytes needs.
  return given == null ? USAGE_ASKED : JSON.stringify({ ...given, include_usage: true });
}
