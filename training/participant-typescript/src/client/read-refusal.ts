import type { IncomingMessage } from "node:http";
import type { JsonObject } from "../handlers.ts";
import { ParticipantCallError } from "./participant-call-error.ts";
import { quoteSafely } from "./quote-safely.ts";
import { readSmallJson } from "./read-small-json.ts";

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Converts an error response. Quotes at most one line of it and redacts the token. */
export async function readRefusal(response: IncomingMessage, token = ""): Promise<ParticipantCallError> {
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) {
    response.destroy();
    return new ParticipantCallError(`responded with ${status}, a redirect, which is not followed`, {
      status,
      code: "REDIRECTED",
      retryable: false,
    });
  }
  // If the body is too long or truncated, only the status is reported.
  const body = await readSmallJson(response).catch(() => undefined);
  const code = typeof body?.code === "string" && /^[A-Z][A-Z0-9_]{0,63}$/.test(body.code) ? body.code : "HTTP_ERROR";
  const reason = typeof body?.error === "string" ? quoteSafely(hide(token, body.error)) : "";
  return new ParticipantCallError(reason === "" ? `responded with ${status}` : reason, {
    status,
    code,
    retryable: RETRYABLE_STATUS.has(status) || code === "BUSY",
    retryAfterMs: readRetryAfter(response.headers["retry-after"]),
    details: readDetails(body),
    jobId: typeof body?.jobId === "string" ? quoteSafely(body.jobId) : undefined,
  });
}

function hide(token: string, text: string): string {
  return token === "" ? text : text.replaceAll(token, "[token]");
}

function readDetails(body: JsonObject | undefined): JsonObject | undefined {
  const details = body?.details;
  return typeof details === "object" && details !== null && !Array.isArray(details) ? details : undefined;
}

/** Reads Retry-After in seconds or as a date, as HTTP allows. */
function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}
