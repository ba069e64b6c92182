import Type from "typebox";
import { nullable, Time, TimeInput } from "./fields.ts";
import { RequestClassName } from "./request-counts.ts";

export const ErrorCausesQuery = Type.Object({
  startDate: Type.Optional(TimeInput),
  endDate: Type.Optional(TimeInput),
});

/**
 * Failed, refused, and rejected requests with the same cause. The model, provider, and key are included only if all of these calls
 * share them.
 */
const ErrorCause = Type.Object({
  class: RequestClassName,
  errorCode: nullable(Type.String()),
  httpStatus: Type.Integer(),
  model: nullable(Type.String()),
  provider: nullable(Type.String()),
  apiKeyId: nullable(Type.String()),
  apiKeyName: nullable(Type.String()),
  count: Type.Integer({ description: "Number of requests, including those that a sampled row stands for" }),
  lastAt: Time,
  lastRequestId: Type.String(),
  message: Type.String(),
});

export const ErrorCauses = Type.Object({
  causes: Type.Array(ErrorCause),
  isSample: Type.Boolean({
    description: "True if there were too many requests to scan; the causes then cover only the latest",
  }),
});
