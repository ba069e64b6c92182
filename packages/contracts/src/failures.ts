import { failures } from "./failure-table.ts";
import type { Problem } from "./validation/list-problems.ts";

/** A code of the failure table. */
export type FailureCode = keyof typeof failures;

/** The limit behind a refusal: its owner, how much of it is used, and when it resets. */
interface LimitFacts {
  readonly kind:
    | "requests"
    | "tokens"
    | "max_parallel_requests"
    | "budget"
    | "credit"
    | "queued_runs"
    | "run_streams"
    | "stored_bytes";
  readonly ownerType: "key" | "team" | "user" | "organization";
  readonly ownerName: string;
  /** Current usage, as a count or as USD with nine decimal places. */
  readonly current: number | string;
  readonly maximum: number | string;
  /** Amount that the refused call would have needed, if known. */
  readonly required?: string;
  /** Reset time as ISO 8601 in UTC; null if the limit doesn't reset automatically. */
  readonly resetsAt: string | null;
}

/** Additional data about a failure. */
export interface FailureFacts {
  /** The invalid request field. */
  readonly param?: string;
  readonly retryAfterMs?: number;
  readonly limit?: LimitFacts;
  /** Suggested fix for the caller, as a sentence. */
  readonly fix?: string;
  /** Similar models that the caller can use, for an unknown model. */
  readonly nearestModels?: readonly string[];
  /** The exceeded rate limit, as named in the headers. */
  readonly rateLimit?: { readonly type: string; readonly scope: string };
  /** Structured data from the provider, sent to the caller. */
  readonly providerFields?: Record<string, unknown>;
  /** Fields that the management API sends in `details`. */
  readonly publicDetails?: Readonly<Record<string, unknown>>;
  /** Response headers that the management API sends. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Details for the log, which are never sent to the caller. */
  readonly detail?: Record<string, unknown>;
  readonly cause?: unknown;
}

/**
 * A failure that the caller caused or may see. Its message is sent to the caller, so it must not contain secrets, hashes,
 * SQL, host names, or upstream text from server errors.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly facts: FailureFacts;

  constructor(code: FailureCode, message: string, facts: FailureFacts = {}) {
    super(message, { cause: facts.cause });
    this.name = "Failure";
    this.code = code;
    this.facts = facts;
  }

  get status(): number {
    return failures[this.code].status;
  }
}

/** A request that failed schema validation, with every problem found. */
export class ValidationFailure extends Failure {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const first = problems[0];
    super(
      "validation_error",
      problems.map((problem) => `${problem.loc.join(".")}: ${problem.msg}`).join("; "),
      // If the body as a whole is invalid, no single field is at fault.
      first === undefined || first.loc.length < 2 ? {} : { param: first.loc.slice(1).join(".") },
    );
    this.problems = problems;
  }
}

/** Returns the failure of an operation that requires a body and got none. */
export function missingBody(): ValidationFailure {
  return new ValidationFailure([{ loc: ["body"], msg: "Field required", type: "missing" }]);
}

/** Returns the failure for a body that is not JSON, or that exceeds the limits of JSON bodies. */
export function invalidJson(msg: string): ValidationFailure {
  return new ValidationFailure([{ loc: ["body"], msg, type: "json_invalid" }]);
}

/** Returns the failure for a request field that would let the caller choose URLs, credentials, prices, or logging. */
export function clientSideCredentials(param: string): Failure {
  return new Failure(
    "client_side_credentials_not_allowed",
    `'${param}' cannot be set in a request. Only the operator can set URLs, credentials, prices, and logging.`,
    { param },
  );
}
