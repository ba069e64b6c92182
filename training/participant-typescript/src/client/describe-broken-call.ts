import { ParticipantCallError } from "./participant-call-error.ts";
import { quoteSafely } from "./quote-safely.ts";

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "host name not found",
  EAI_AGAIN: "DNS lookup failed",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "no route to host",
};

/** Describes why no response arrived. An untrusted certificate is a permanent error, because retrying doesn't help. */
export function describeBrokenCall(error: Error): ParticipantCallError {
  if (error instanceof ParticipantCallError) return error;
  const code = "code" in error ? String(error.code) : "";
  if (code === "ETIMEDOUT") {
    return new ParticipantCallError(`no response: ${quoteSafely(error.message)}`, {
      status: 0,
      code: "TIMEOUT",
      retryable: true,
      cause: error,
    });
  }
  const reason = REASONS[code] ?? `${quoteSafely(error.message)}${code === "" ? "" : ` (${code})`}`;
  return new ParticipantCallError(`not reachable: ${reason}`, {
    status: 0,
    code: "UNREACHABLE",
    retryable: !/CERT|SELF_SIGNED|ALTNAME|SSL|EPROTO/.test(code),
    cause: error,
  });
}
