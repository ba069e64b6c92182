import { MAX_SESSION_LENGTH } from "@tollgate/domain/credit/usage-event.ts";
import type { RequestHeaders } from "./request-headers.ts";

/**
 * Returns the session that the client names, in `prompt_cache_key` or in a header, one character per byte; null if it
 * names none.
 */
export function namedSession(request: object, headers: RequestHeaders): string | null {
  const { prompt_cache_key: key } = request as { readonly prompt_cache_key?: unknown };
  return typeof key === "string" && key !== "" ? key : headers.session;
}

/** Returns the text of a session ID as it is stored. */
export function sessionText(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8").slice(0, MAX_SESSION_LENGTH);
}
