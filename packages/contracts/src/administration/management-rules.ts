import { ErrorResponse } from "../error-bodies.ts";
import { informationFailures } from "../information-failures.ts";
import type { AnswerDescription } from "../operations.ts";

/** Shared description fields of all management operations. */
export const managementRules = {
  tag: "management",
  auth: "key",
  routeGroup: "management",
  billing: "free",
  bodyLimitBytes: 256 * 1_024,
  timeoutMs: 15_000,
} as const;

/** Shared description fields of read-only management operations. */
export const managementReadRules = { ...managementRules, method: "GET", bodyLimitBytes: 0 } as const;

/** Failures that each management operation can return. */
export const managementFailures: Readonly<Record<number, AnswerDescription>> = {
  ...informationFailures,
  400: { description: "The request is well-formed but cannot be processed.", schema: ErrorResponse },
  404: { description: "The record does not exist, or the caller has no access to it.", schema: ErrorResponse },
  408: { description: "A timeout expired.", schema: ErrorResponse },
};

/** Failures that each management operation that changes data can return. */
export const changeFailures: Readonly<Record<number, AnswerDescription>> = {
  ...managementFailures,
  409: { description: "The name is taken, or the maximum number of records is reached.", schema: ErrorResponse },
  413: { description: "The body is larger than the limit.", schema: ErrorResponse },
  415: { description: "The body is not JSON, or it has a content encoding.", schema: ErrorResponse },
};
