import { Secret } from "@tollgate/domain/secret.ts";
import { inStage } from "../../call/call.ts";
import type { UpstreamTarget } from "../../call/provider.ts";
import { type ChatCallOptions, makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { buildMessagesRequest } from "./build-request.ts";
import { prepareAnthropic } from "./prepare-anthropic.ts";

export const SONNET = "claude-sonnet-4-5-20250929";

export type TargetOptions = Partial<
  Pick<UpstreamTarget, "upstreamModel" | "apiBase" | "apiVersion" | "dropsParams" | "facts">
>;

export function targetOf(options: TargetOptions = {}): UpstreamTarget {
  const settings = {
    upstreamModel: SONNET,
    apiKey: new Secret("sk-ant-1"),
    apiVersion: null,
    options: {},
    ...options,
  };
  return { ...settings, prepared: prepareAnthropic(settings) };
}

/** Creates a call with these fields in its body. */
export function callOf(fields: object = {}, options: Omit<ChatCallOptions, "text"> = {}) {
  const body = { model: "group", messages: [{ role: "user", content: "hello" }], ...fields };
  return makeChatCall({ ...options, text: JSON.stringify(body) });
}

/** Builds the upstream request for a call with these fields. */
export function build(fields: object = {}, target: TargetOptions = {}, options: BuildOptions = {}) {
  const call = callOf(fields, options);
  inStage(call, "opened").outputLimit = options.outputLimit ?? null;
  const request = buildMessagesRequest(call, targetOf(target), new Set(options.dropped));
  const pairs = request.headers.flatMap((name, index) => (index % 2 === 0 ? [[name, request.headers[index + 1]]] : []));
  if (typeof request.body === "function") throw new Error("a chat request is never read from a file");
  return {
    path: request.path,
    headers: Object.fromEntries(pairs) as Record<string, string>,
    json: JSON.parse(request.body.toString("utf8")) as Record<string, unknown>,
  };
}

interface BuildOptions extends Omit<ChatCallOptions, "text"> {
  readonly outputLimit?: number;
}

export const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
export const utf8 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");
