/** The codes of the management interface. The list is closed: `reason` tells finer things apart. */
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

/** Every way a management call can fail. The published error reference is generated from this table. */
export const managementFailures = {
  NOT_SIGNED_IN: { ...unauthorized, meaning: "No bearer token came with the request, or it cannot be read." },
  TOKEN_EXPIRED: { ...unauthorized, meaning: "The token has expired. Refresh it, or sign in again." },
  SESSION_REVOKED: { ...unauthorized, meaning: "The session was ended." },
  BAD_CREDENTIALS: { ...unauthorized, meaning: "The email address or the password is wrong." },
  TOTP_REQUIRED: { ...unauthorized, meaning: "The account asks for a one-time code as well." },
  INVALID_API_KEY: { ...unauthorized, meaning: "The API key in the body is malformed, unknown, expired or disabled." },
  BAD_SIGNATURE: { ...invalid, meaning: "The signature of the webhook does not match." },
  ROLE_REQUIRED: { ...forbidden, meaning: "The caller's role does not allow this." },
  ADMIN_REQUIRED: { ...forbidden, meaning: "The operation needs an administrator of the platform." },
  ACCOUNT_DISABLED: { ...forbidden, meaning: "The account is disabled." },
  EMAIL_UNVERIFIED: { ...forbidden, meaning: "The email address has not been verified." },
  NO_ACTIVE_ORGANIZATION: { ...forbidden, meaning: "The caller belongs to no organization that could be meant." },
  SIGN_UP_CLOSED: { ...forbidden, meaning: "This installation does not take sign-ups, or only invited ones." },
  REAUTHENTICATION_REQUIRED: { ...forbidden, meaning: "The operation needs a password shown in the last ten minutes." },
  TOTP_ENROLMENT_REQUIRED: { ...forbidden, meaning: "The operation needs an account with one-time codes switched on." },
  PAIRING_DENIED: { ...forbidden, meaning: "The person at the browser turned the terminal away." },
  CROSS_ORIGIN: { ...forbidden, meaning: "A change made with a cookie came from another site." },
  MODEL_NOT_ALLOWED: { ...forbidden, meaning: "The key may not use this model." },
  RATE_LIMITED: { ...throttled, meaning: "Too many requests. `Retry-After` says when to go on." },
  LOGIN_LOCKED: {
    ...throttled,
    meaning: "Too many failed logins. `Retry-After` says when to try again.",
  },
  INVALID_FIELD: { ...invalid, meaning: "Fields of the request are missing or wrong; each is named." },
  INVALID_JSON: { ...invalid, meaning: "The body is not a JSON object within the limits of depth and size." },
  AMOUNT_NOT_EXACT: { ...invalid, meaning: "An amount is not a whole number of nano-USD that JSON can carry exactly." },
  IDEMPOTENCY_KEY_REQUIRED: { ...invalid, meaning: "The operation moves money and needs an Idempotency-Key." },
  MASKED_KEY: { ...invalid, meaning: "A masked key names no key. Send its id or the whole secret." },
  WEAK_PASSWORD: { ...invalid, meaning: "The password is too short, too long, too common, or the name of its owner." },
  TARGET_REFUSED: { ...invalid, meaning: "The address is not one that this installation may call." },
  EMAIL_TAKEN: { ...conflict, meaning: "An account with this email address exists." },
  NAME_TAKEN: { ...conflict, meaning: "Another one has this name." },
  ALREADY_MEMBER: { ...conflict, meaning: "This person is a member already." },
  LAST_OWNER: { ...conflict, meaning: "An organization needs an owner, and this is the last one." },
  LAST_ADMIN: { ...conflict, meaning: "This is the last administrator." },
  SELF: { ...conflict, meaning: "Nobody can do this to their own account." },
  KEY_REVOKED: { ...conflict, meaning: "A revoked key stays revoked." },
  MODEL_EXISTS: { ...conflict, meaning: "Another model has this id." },
  PROVIDER_EXISTS: { ...conflict, meaning: "Another provider has this slug." },
  IN_USE: { ...conflict, meaning: "Something else still needs it." },
  LIMIT_REACHED: { ...conflict, meaning: "There are as many as allowed." },
  PAIRING_EXPIRED: { ...conflict, meaning: "Nobody confirmed the code in time. Ask for another." },
  WRONG_STATE: { ...conflict, meaning: "The record is in a state that does not allow this." },
  NEGATIVE_BALANCE: { ...conflict, meaning: "The team is blocked because the balance is below zero." },
  IDEMPOTENCY_KEY_REUSED: { ...conflict, meaning: "The Idempotency-Key was used for another request." },
  IDEMPOTENCY_IN_PROGRESS: { ...conflict, meaning: "The first request with this Idempotency-Key is still running." },
  BODY_TOO_LARGE: { code: "VALIDATION_ERROR", status: 413, meaning: "The body is larger than the limit." },
  WRONG_MEDIA_TYPE: { code: "VALIDATION_ERROR", status: 415, meaning: "The body must be application/json." },
  UNKNOWN_PATH: { ...absent, meaning: "Nothing is at this path." },
  UNKNOWN_OBJECT: { ...absent, meaning: "Nothing has this id, or the caller may not know of it." },
  MODEL_NOT_FOUND: { ...absent, meaning: "The model does not exist." },
  WRONG_METHOD: { code: "NOT_FOUND", status: 405, meaning: "The path exists, but not with this method." },
  OUT_OF_CREDIT: {
    code: "QUOTA_EXCEEDED",
    status: 402,
    meaning: "The organization has no credit left, or a budget is spent.",
  },
  TEAM_BLOCKED: { code: "TEAM_BLOCKED", status: 403, meaning: "The team is blocked. `blockedReason` says why." },
  UNEXPECTED: { code: "SERVER_ERROR", status: 500, meaning: "A fault of the platform." },
  UPSTREAM_FAILED: { code: "SERVER_ERROR", status: 502, meaning: "The model or the payment provider failed." },
  UNAVAILABLE: { code: "SERVER_ERROR", status: 503, meaning: "The platform or something it needs is not available." },
  UPSTREAM_TIMEOUT: { code: "SERVER_ERROR", status: 504, meaning: "The model did not answer in time." },
  DB_TIMEOUT: { code: "DB_TIMEOUT", status: 503, meaning: "The database did not answer in time." },
} as const satisfies Record<string, ReasonKind>;

export type ManagementReason = keyof typeof managementFailures;

export interface ManagementFailureFacts {
  /** Sent as members of `details`. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
  /** Sent beside the body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A failure the caller caused or may see. Its message is sent: no secrets, no hashes, no SQL. */
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

/** What is foreign and what is absent are told apart for nobody. */
export function unknownObject(what: string): ManagementFailure {
  return new ManagementFailure("UNKNOWN_OBJECT", `There is no such ${what}.`);
}

export function invalidField(field: string, problem: string): ManagementFailure {
  return new ManagementFailure("INVALID_FIELD", `${field} ${problem}`, { details: { fields: { [field]: problem } } });
}
