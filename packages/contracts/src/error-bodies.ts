import Type, { type Static } from "typebox";
import { type Failure, failures, ValidationFailure } from "./failures.ts";

export const ErrorObject = Type.Object({
  message: Type.String(),
  type: Type.String(),
  param: Type.Union([Type.String(), Type.Null()]),
  code: Type.Union([Type.String(), Type.Null()]),
  provider_specific_fields: Type.Optional(Type.Object({}, { additionalProperties: true })),
});

/** The body of every refusal of the gateway. */
export const ErrorResponse = Type.Object({ error: ErrorObject });

/** The body of a refusal by schema: lists every problem, and carries `error` too, so that either reader is served. */
export const HTTPValidationError = Type.Object({
  detail: Type.Array(
    Type.Object({
      loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
      msg: Type.String(),
      type: Type.String(),
    }),
  ),
  error: ErrorObject,
});

export type ErrorCodeStyle = "semantic" | "status";

/** The wire form of a failure. `status` style prints the status as the code, for clients written against that. */
export function toErrorBody(
  failure: Failure,
  style: ErrorCodeStyle,
): Static<typeof ErrorResponse> | Static<typeof HTTPValidationError> {
  const kind = failures[failure.code];
  const error = {
    message: failure.message,
    type: kind.type,
    param: failure.facts.param ?? null,
    code: style === "status" ? String(kind.status) : failure.code,
    ...(failure.facts.providerFields && { provider_specific_fields: failure.facts.providerFields }),
  };
  if (failure instanceof ValidationFailure) {
    return { detail: failure.problems.map(({ loc, msg, type }) => ({ loc: [...loc], msg, type })), error };
  }
  return { error };
}
