import { ErrorResponse, HTTPValidationError } from "@tollgate/contracts/error-bodies.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";

/** Failures that every utility operation with a body can return. */
export const utilityFailures: Readonly<Record<number, AnswerDescription>> = {
  ...informationFailures,
  400: { description: "The request is well-formed but cannot be processed.", schema: ErrorResponse },
  403: { description: "The API key cannot use this operation or this model.", schema: ErrorResponse },
  408: { description: "A timeout expired.", schema: ErrorResponse },
  413: { description: "The body is larger than the limit.", schema: ErrorResponse },
  415: { description: "The body is not JSON, or it has a content encoding.", schema: ErrorResponse },
  422: {
    description: "The body or a parameter is invalid. The response lists every problem.",
    schema: HTTPValidationError,
  },
};
