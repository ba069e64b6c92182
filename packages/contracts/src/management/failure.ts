/** Error codes of the management API. The list is fixed. `reason` is more specific. */
export type ManagementCode =
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "VALIDATION_ERROR"
  | "NOT_FOUND"
  | "QUOTA_EXCEEDED"
  | "TEAM_BLOCKED"
  | "SERVER_ERROR"
  | "DB_TIMEOUT";

interface ReasonKind {
  readonly code: ManagementCode;
  readonly status: number;
  readonly meaning: string;
}

const unauthorized = { code: "UNAUTHORIZED", status: 401 } as const;
const forbidden = { code: "FORBIDDEN", status: 403 } as const;
const throttled = { code: "FORBIDDEN", status: 429 } as const;
const invalid = { code: "VALIDATION_ERROR", status: 400 } as const;
const conflict = { code: "VALIDATION_ERROR", status: 409 } as const;
const absent = { code: "NOT_FOUND", status: 404 } as const;

/** All management API errors. The published error reference is generated from this table. */
export const managementFailures = {
  NOT_SIGNED_IN: { ...unauthorized, meaning: "The request has no bearer token, or the token is invalid." },
  TOKEN_EXPIRED: { ...unauthorized, meaning: "The token has expired. Refresh it, or sign in again." },
  SESSION_REVOKED: { ...unauthorized, meaning: "The session has ended." },
  BAD_CREDENTIALS: { ...unauthorized, meaning: "The email address or password is wrong." },
  TOTP_REQUIRED: { ...unauthorized, meaning: "The account requires a one-time code." },
  INVALID_API_KEY: { ...unauthorized, meaning: "The API key in the body is malformed, unknown, expired, or disabled." },
  BAD_SIGNATURE: { ...invalid, meaning: "The webhook signature does not match." },
  ROLE_REQUIRED: { ...forbidden, meaning: "The caller's role does not allow this operation." },
  ADMIN_REQUIRED: { ...forbidden, meaning: "The operation requires a platform administrator." },
  ACCOUNT_DISABLED: { ...forbidden, meaning: "The account is disabled." },
  EMAIL_UNVERIFIED: { ...forbidden, meaning: "The email address has not been verified." },
  NO_ACTIVE_ORGANIZATION: { ...forbidden, meaning: "The caller has no active organization." },
  SIGN_UP_CLOSED: { ...forbidden, meaning: "Sign-up is closed or by invitation only." },
  REAUTHENTICATION_REQUIRED: { ...forbidden, meaning: "The operation requires a sign-in within the last 10 minutes." },
  TOTP_ENROLLMENT_REQUIRED: { ...forbidden, meaning: "The operation requires an account with one-time codes enabled." },
  PAIRING_DENIED: { ...forbidden, meaning: "The sign-in was denied in the browser." },
  CROSS_ORIGIN: { ...forbidden, meaning: "A cookie-authenticated change came from another site." },
  MODEL_NOT_ALLOWED: { ...forbidden, meaning: "The key cannot use this model." },
  RATE_LIMITED: { ...throttled, meaning: "Too many requests. `Retry-After` says when to retry." },
  LOGIN_LOCKED: {
    ...throttled,
    meaning: "Too many failed sign-ins. `Retry-After` says when to retry.",
  },
  INVALID_FIELD: { ...invalid, meaning: "Request fields are missing or invalid. `details.fields` lists each one." },
  INVALID_JSON: { ...invalid, meaning: "The body is not a JSON object, or it is nested too deeply." },
  AMOUNT_NOT_EXACT: { ...invalid, meaning: "An amount is not an integer in nano-USD that JSON can represent exactly." },
  IDEMPOTENCY_KEY_REQUIRED: { ...invalid, meaning: "The operation moves money and requires an Idempotency-Key." },
  MASKED_KEY: { ...invalid, meaning: "A masked key was sent. Send the key's ID or full secret." },
  WEAK_PASSWORD: { ...invalid, meaning: "The password is too short, too long, too common, or the user's own name." },
  TARGET_REFUSED: { ...invalid, meaning: "The server is not allowed to call this URL." },
  EMAIL_TAKEN: { ...conflict, meaning: "An account with this email address already exists." },
  NAME_TAKEN: { ...conflict, meaning: "The name is already taken." },
  ALREADY_MEMBER: { ...conflict, meaning: "The user is already a member." },
  LAST_OWNER: { ...conflict, meaning: "This is the organization's last owner." },
  LAST_ADMIN: { ...conflict, meaning: "This is the last administrator." },
  SELF: { ...conflict, meaning: "The operation is not available for your own account." },
  KEY_REVOKED: { ...conflict, meaning: "The key has been permanently revoked." },
  MODEL_EXISTS: { ...conflict, meaning: "A model with this ID already exists." },
  PROVIDER_EXISTS: { ...conflict, meaning: "A provider with this slug already exists." },
  IN_USE: { ...conflict, meaning: "Other objects still depend on this object." },
  LIMIT_REACHED: { ...conflict, meaning: "The maximum number of items or the daily amount limit has been reached." },
  PAIRING_EXPIRED: { ...conflict, meaning: "The code was not confirmed in time. Request a new one." },
  WRONG_STATE: { ...conflict, meaning: "The object's state does not allow this operation." },
  NEGATIVE_BALANCE: { ...conflict, meaning: "The team is blocked because the balance is below zero." },
  IDEMPOTENCY_KEY_REUSED: { ...conflict, meaning: "The Idempotency-Key was already used for a different request." },
  IDEMPOTENCY_IN_PROGRESS: {
    ...conflict,
    meaning: "The first request with this Idempotency-Key is still in progress.",
  },
  BODY_TOO_LARGE: { code: "VALIDATION_ERROR", status: 413, meaning: "The body exceeds the size limit." },
  WRONG_MEDIA_TYPE: { code: "VALIDATION_ERROR", status: 415, meaning: "The body must be application/json." },
  UNKNOWN_PATH: { ...absent, meaning: "Unknown path." },
  UNKNOWN_OBJECT: { ...absent, meaning: "No object with this ID exists, or the caller has no access to it." },
  MODEL_NOT_FOUND: { ...absent, meaning: "The model does not exist." },
  WRONG_METHOD: { code: "NOT_FOUND", status: 405, meaning: "The path does not support this method." },
  OUT_OF_CREDIT: {
    code: "QUOTA_EXCEEDED",
    status: 402,
    meaning: "The organization has no credit left, or a budget is exhausted.",
  },
  TEAM_BLOCKED: {
    code: "TEAM_BLOCKED",
    status: 403,
    meaning: "The team is blocked. `blockedReason` states the reason.",
  },
  UNEXPECTED: { code: "SERVER_ERROR", status: 500, meaning: "An internal error occurred in the platform." },
  UPSTREAM_FAILED: { code: "SERVER_ERROR", status: 502, meaning: "The model or the payment provider failed." },
  UNAVAILABLE: {
    code: "SERVER_ERROR",
    status: 503,
    meaning: "The platform or a service it depends on is unavailable.",
  },
  UPSTREAM_TIMEOUT: { code: "SERVER_ERROR", status: 504, meaning: "The model did not respond in time." },
  DB_TIMEOUT: { code: "DB_TIMEOUT", status: 503, meaning: "The database did not respond in time." },
} as const satisfies Record<string, ReasonKind>;

export type ManagementReason = keyof typeof managementFailures;

export interface ManagementFailureFacts {
  /** Fields to send in `details`. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  /** HTTP headers to send. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * A failure that the caller caused or may see. Its message is sent to the caller, so it must not contain secrets,
 * hashes, or SQL.
 */
export class ManagementFailure extends Error {
  readonly reason: ManagementReason;
  readonly facts: ManagementFailureFacts;

  constructor(reason: ManagementReason, message: string, facts: ManagementFailureFacts = {}) {
    super(message, { cause: facts.cause });
    this.name = "ManagementFailure";
    this.reason = reason;
    this.facts = facts;
  }

  get status(): number {
    return managementFailures[this.reason].status;
  }

  get code(): ManagementCode {
    return managementFailures[this.reason].code;
  }
}

/** Creates the failure for a missing object. Objects in other organizations cause the same failure. */
export function unknownObject(what: string, hint?: string): ManagementFailure {
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} not found.`;
  return new ManagementFailure("UNKNOWN_OBJECT", hint === undefined ? message : `${message} ${hint}`);
}

export function invalidField(field: string, problem: string): ManagementFailure {
  return new ManagementFailure("INVALID_FIELD", `${field} ${problem}`, { details: { fields: { [field]: problem } } });
}
