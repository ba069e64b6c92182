import { basePath } from "../base-path.ts";
import { sendWithSession } from "./client.ts";

/** Calls the gateway for one of the person's own keys, whose secret the browser never has. */
export function relay(
  keyId: string,
  path: `/${string}`,
  init: { readonly method?: "GET" | "POST" | "DELETE"; readonly body?: unknown; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const { method = "POST", body, signal } = init;
  const isForm = body instanceof FormData;
  return sendWithSession(`${basePath}/api/gw/relay${path}`, {
    method,
    headers: {
      "x-gw-key": keyId,
      ...(body !== undefined && !isForm && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
}
