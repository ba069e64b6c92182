import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { TokenCounting, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { toGenerateContent } from "./build-chat-request.ts";
import { methodPath, modelId, traitsOf } from "./gemini-traits.ts";
import type { GenerateContentRequest } from "./gemini-wire.ts";

/**
 * Token counting by the provider. Contents in the Gemini format are sent unchanged. All other bodies are converted like
 * a chat request.
 */
export const tokenCounting: TokenCounting = { buildRequest, readCount };

function buildRequest(body: Readonly<Record<string, unknown>>, target: UpstreamTarget): UpstreamRequest {
  const generateContentRequest = { model: `models/${modelId(target.upstreamModel)}`, ...toCounted(body, target) };
  return {
    path: methodPath(target.upstreamModel, "countTokens"),
    headers: target.prepared.headers,
    body: Buffer.from(JSON.stringify({ generateContentRequest }), "utf8"),
  };
}

/** Converts the body of a token counter request to the Gemini format. */
export function toCounted(body: Readonly<Record<string, unknown>>, target: UpstreamTarget): GenerateContentRequest {
  const { contents, messages, prompt, system, tools } = body;
  const asked = {
    messages: [
      ...(system == null ? [] : [{ role: "system", content: system }]),
      ...(Array.isArray(messages) ? messages : []),
      ...(typeof prompt === "string" ? [{ role: "user", content: prompt }] : []),
    ],
    ...(Array.isArray(tools) && { tools }),
  } as ChatRequest;
  const request = toGenerateContent(asked, null, traitsOf(target.upstreamModel));
  return { ...request, ...(Array.isArray(contents) && { contents: [...contents, ...request.contents] }) };
}

/** Returns the count in a response, or null. */
export function readCount(text: string): number | null {
  try {
    const { totalTokens } = JSON.parse(text) as { readonly totalTokens?: unknown };
    return typeof totalTokens === "number" && Number.isInteger(totalTokens) && totalTokens >= 0 ? totalTokens : null;
  } catch {
    return null;
  }
}
