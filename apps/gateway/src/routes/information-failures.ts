import { ErrorResponse, HTTPValidationError } from "@tollgate/contracts/error-bodies.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";

/** The refusals every keyed information operation can give. */
export const informationFailures: Readonly<Record<number, AnswerDescription>> = {
  401: { description: "The key is missing, malformed, unknown, expired or disabled.", schema: ErrorResponse },
  403: { description: "The key may not use this operation.", schema: ErrorResponse },
  422: { description: "A parameter cannot be read; every problem is listed.", schema: HTTPValidationError },
  500: { description: "A fault of the gateway.", schema: ErrorResponse },
  503: { description: "A part of this service is not available.", schema: ErrorResponse },
};
