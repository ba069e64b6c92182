import { ApiError, ConnectionError } from "@tollgate/sdk/http/api-error.ts";
import { CliError } from "./cli-error.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { stylesFor } from "./output/styles.ts";

interface ReportOptions {
  readonly isJson: boolean;
  readonly isPlain: boolean;
  readonly isDebug: boolean;
}

/** Prints an error to standard error, as text or as one JSON object, and returns the exit code. */
export function reportError(error: unknown, io: Io, options: ReportOptions): number {
  const reported = describe(error, options.isDebug);
  if (options.isJson) {
    const { exitCode: _, ...members } = reported;
    io.stderr.write(`${JSON.stringify({ error: members })}\n`);
    return reported.exitCode;
  }
  const styles = stylesFor(io.stderr, io.env, options.isPlain);
  const facts = [
    ...(reported.fix === null ? [] : [["Fix:", reported.fix]]),
    ...(reported.docUrl === null ? [] : [["Details:", reported.docUrl]]),
    ...(reported.requestId === null ? [] : [["Request:", reported.requestId]]),
  ].map(([label = "", text]) => `  ${styles.dim(label)}  ${text}\n`);
  io.stderr.write(`${styles.red("✗")} ${reported.message}\n${facts.join("")}`);
  return reported.exitCode;
}

interface ReportedError {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly fix: string | null;
  readonly docUrl: string | null;
  readonly retryable: boolean;
}

function describe(error: unknown, isDebug: boolean): ReportedError {
  const nothing = { status: null, requestId: null, fix: null, docUrl: null, retryable: false };
  if (error instanceof CliError) {
    return { ...nothing, exitCode: error.exitCode, code: error.code, message: error.message, fix: error.fix };
  }
  if (error instanceof ApiError) {
    return {
      exitCode: exitCodeOf(error),
      code: error.code,
      message: messageOf(error),
      status: error.status === 0 ? null : error.status,
      requestId: error.requestId,
      fix: creditFix(error) ?? error.fix ?? fixFor(error),
      docUrl: error.docUrl,
      retryable: error.retryable,
    };
  }
  const { message, stack } = error as Error;
  return {
    ...nothing,
    exitCode: EXIT.failure,
    code: "UNEXPECTED",
    message: (isDebug ? stack : message) ?? String(error),
  };
}

/** Adds the invalid fields (platform) or the owner of the limit (gateway) to the message. */
function messageOf(error: ApiError): string {
  const { limit } = error;
  if (limit !== null && !error.message.includes(limit.ownerName)) {
    return `${error.message.replace(/\.$/, "")} (${limit.ownerType} ${limit.ownerName}).`;
  }
  const { fields } = error.details as { fields?: Readonly<Record<string, string>> };
  const named = Object.entries(fields ?? {}).filter(([name]) => !error.message.includes(name));
  return named.length === 0
    ? error.message
    : `${error.message} ${named.map(([name, text]) => `${name}: ${text}`).join("; ")}`;
}

/** Returns the fix for insufficient credit, including the request's maximum cost if known. */
function creditFix({ limit, details }: ApiError): string | null {
  if (limit === null || limit.kind !== "credit") return null;
  const { required } = (details.limit ?? {}) as { required?: unknown };
  const less =
    typeof required === "string"
      ? `, or lower the request's maximum cost, which is $${required.replace(/0+$/, "")}`
      : "";
  return `${fixes.QUOTA_EXCEEDED}${less}`;
}

function fixFor(error: ApiError): string | null {
  if (error instanceof ConnectionError) return "Check that the server is running: tollgate doctor";
  if (error.status === 429 && error.retryAfterSeconds !== null) return `Retry in ${error.retryAfterSeconds} s.`;
  return fixes[error.reason ?? ""] ?? fixes[error.code] ?? (error.status === 401 ? "tollgate login" : null);
}

/** Suggested fixes by error reason or code. */
const fixes: Readonly<Record<string, string>> = {
  NOT_SIGNED_IN: "tollgate login",
  TOKEN_EXPIRED: "tollgate login",
  SESSION_REVOKED: "tollgate login",
  BAD_CREDENTIALS: "Check the email address and password. To reset the password: tollgate open forgot",
  ROLE_REQUIRED: "Contact an organization owner or admin.",
  ADMIN_REQUIRED: "Contact a platform administrator.",
  REAUTHENTICATION_REQUIRED: "Run tollgate login, then retry within 10 minutes.",
  EMAIL_UNVERIFIED: "Open the link in the verification email.",
  NO_ACTIVE_ORGANIZATION: "Run tollgate orgs list, then tollgate orgs use.",
  MODEL_NOT_FOUND: "tollgate models list",
  MODEL_NOT_ALLOWED:
    "Check the key's models with tollgate keys show, or choose another model from tollgate models list.",
  model_not_found: "tollgate models list",
  key_model_access_denied: "Use another model or key. To see each key's models: tollgate keys list --json=name,models",
  invalid_api_key: "Set TOLLGATE_API_KEY to a key from this server: tollgate keys create",
  QUOTA_EXCEEDED: "tollgate credits buy 20",
  TEAM_BLOCKED: "tollgate credits buy 20",
  DB_TIMEOUT: "Retry in a few seconds.",
};
