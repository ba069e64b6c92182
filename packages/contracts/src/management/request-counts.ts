import { REQUEST_CLASSES, type RequestClass } from "@tollgate/domain/figures/request-class.ts";
import Type from "typebox";
import { nullable } from "./fields.ts";

/** The class of a request. Each request has exactly one. */
export const RequestClassName = Type.Unsafe<RequestClass>({
  type: "string",
  enum: [...REQUEST_CLASSES],
  description:
    "`succeeded`; `failed`: an upstream did not deliver, or the gateway broke; `refused`: credit, a budget, a limit, a " +
    "guardrail, or a permission; `rejected`: an invalid request, an unknown model, or one without a price; `canceled`: " +
    "the client disconnected first",
});

/** The number of requests, in total and in each class. */
export const classCounts = {
  requests: Type.Integer({ description: "The sum of the five classes" }),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  refused: Type.Integer(),
  rejected: Type.Integer(),
  canceled: Type.Integer(),
};

/** The counts of requests with their error rate. */
export const requestCounts = {
  ...classCounts,
  errorRate: nullable(
    Type.Number({ description: "`failed` ÷ (`succeeded` + `failed`), from 0 to 1; null if both are 0" }),
  ),
};
