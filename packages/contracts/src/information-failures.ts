import { ErrorResponse, HTTPValidationError } from "./error-bodies.ts";
import type { AnswerDescription } from "./operations.ts";

/** Failures that every keyed information operation can return. */
export const informationFailures: Readonly<Record<number, AnswerDescription>> = {
  401: { description: "The API key is missing, malformed, unknown, expired, or disabled.", schema: ErrorResponse },
  403: { description: "The API key cannot use this operation.", schema: ErrorResponse },
  422: { description: "A parameter is invalid. The response lists every problem.", schema: HTTPValidationError },
  500: { description: "An internal error occurred in the gateway.", schema: ErrorResponse },
  503: { description: "A component of this service is unavailable.", schema: ErrorResponse },
};
