import { ErrorResponse, HTTPValidationError } from "@tollgate/contracts/error-bodies.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";
import Type from "typebox";

const failure = (description: string): AnswerDescription => ({ description, schema: ErrorResponse });

/** The refusals every inference operation can give. */
export const inferenceFailures: Readonly<Record<number, AnswerDescription>> = {
  400: failure("The request cannot be carried out, or the provider refused it on policy grounds."),
  401: failure("The key is missing, malformed, unknown, expired or disabled."),
  403: failure("The key is known, but not permitted."),
  404: failure("The model does not exist."),
  408: failure("A time limit ran out."),
  409: failure("The Idempotency-Key was used for another body, or nobody knows how its first call ended."),
  413: failure("The body is too large."),
  415: failure("The body's media type is not accepted."),
  422: {
    description:
      "The request does not meet its schema, and every problem is listed; or the provider could not process it.",
    schema: Type.Union([HTTPValidationError, ErrorResponse]),
  },
  429: failure("A rate limit or a budget is used up."),
  500: failure("A fault of the gateway or of the provider."),
  502: failure("The provider answered something that cannot be read."),
  503: failure("The provider or a part of this service is not available."),
};
