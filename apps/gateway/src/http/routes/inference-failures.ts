import { ErrorResponse, HTTPValidationError } from "@tollgate/contracts/error-bodies.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";
import Type from "typebox";

const failure = (description: string): AnswerDescription => ({ description, schema: ErrorResponse });

/** Failures that every inference operation can return. */
export const inferenceFailures: Readonly<Record<number, AnswerDescription>> = {
  400: failure("The request cannot be processed, or the provider refused it for policy reasons."),
  401: failure("The API key is missing, malformed, unknown, expired, or disabled."),
  403: failure("The API key does not permit this request."),
  404: failure("The model does not exist."),
  408: failure("A timeout expired."),
  409: failure("The Idempotency-Key was used with a different body, or the outcome of its first request is unknown."),
  413: failure("The body is too large."),
  415: failure("The body's media type is not accepted."),
  422: {
    description:
      "The request does not match its schema (the response lists every problem), or the provider could not process it.",
    schema: Type.Union([HTTPValidationError, ErrorResponse]),
  },
  429: failure("A rate limit or budget is exhausted."),
  500: failure("An internal error occurred in the gateway or at the provider."),
  502: failure("The provider returned an invalid response."),
  503: failure("The provider or a component of this service is unavailable."),
};
