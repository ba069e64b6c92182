import Type, { type Static } from "typebox";
import { failures, gatewayCodeOf, gatewayKindOf, managementReasonOf } from "./failure-table.ts";
import { type Failure, type FailureFacts, ValidationFailure } from "./failures.ts";

const LimitObject = Type.Object(
  {
    kind: Type.Union([
      Type.Literal("requests"),
      Type.Literal("tokens"),
      Type.Literal("max_parallel_requests"),
      Type.Literal("budget"),
      Type.Literal("credit"),
    ]),
    owner_type: Type.Union([
      Type.Literal("key"),
      Type.Literal("team"),
      Type.Literal("user"),
      Type.Literal("organization"),
    ]),
    owner_name: Type.String(),
    current: Type.Union([Type.Integer(), Type.String()], { description: "A count, or USD with nine decimal places." }),
    maximum: Type.Union([Type.Integer(), Type.String()]),
    required: Type.Optional(
      Type.String({ description: "The maximum cost of this request, in USD with nine decimal places." }),
    ),
    resets_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
  },
  { description: "The limit that was reached: its owner, its current usage, and when it resets." },
);

export const ErrorObject = Type.Object({
  message: Type.String(),
  type: Type.String(),
  param: Type.Union([Type.String(), Type.Null()]),
  code: Type.Union([Type.String(), Type.Null()]),
  provider_specific_fields: Type.Optional(Type.Object({}, { additionalProperties: true })),
  limit: Type.Optional(LimitObject),
  fix: Type.Optional(Type.String({ description: "How to fix the problem." })),
  doc_url: Type.Optional(Type.String({ description: "A page that explains the error." })),
  request_id: Type.Optional(Type.String({ description: "The call ID, present if the error has a limit or a fix." })),
});

/** Body of every gateway error. */
export const ErrorResponse = Type.Object({ error: ErrorObject });

/**
 * Body of a schema validation error. Lists every problem, and includes `error` for clients that read only that field.
 */
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

/**
 * Converts a failure to OpenAI's format. Style `status` uses the HTTP status as the code, for clients that expect a
 * status code. Details about a refusal, such as its fix, are added only if they are known, so all other errors have
 * only the four standard fields.
 */
export function toErrorBody(
  failure: Failure,
  style: ErrorCodeStyle,
  callId?: string,
): Static<typeof ErrorResponse> | Static<typeof HTTPValidationError> {
  const kind = gatewayKindOf(failure.code);
  const error = {
    message: failure.message,
    type: kind.type,
    param: failure.facts.param ?? null,
    code: style === "status" ? String(kind.status) : gatewayCodeOf(failure.code),
    ...(failure.facts.providerFields && { provider_specific_fields: failure.facts.providerFields }),
    ...(isExplained(failure.facts) && explanationOf(failure.facts, callId)),
  };
  if (failure instanceof ValidationFailure) {
    return { detail: failure.problems.map(({ loc, msg, type }) => ({ loc: [...loc], msg, type })), error };
  }
  return { error };
}

/** Converts a failure to the management API's format, without the request ID. */
export function toManagementErrorBody({ code, message, facts }: Failure): {
  readonly error: string;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
} {
  const reason = managementReasonOf(code);
  const error = facts.fix === undefined ? message : `${message} ${facts.fix}`;
  return { error, code: failures[reason].management, details: { reason, ...facts.publicDetails } };
}

function isExplained({ limit, fix, docUrl }: FailureFacts): boolean {
  return limit !== undefined || fix !== undefined || docUrl !== undefined;
}

function explanationOf({ limit, fix, docUrl }: FailureFacts, callId: string | undefined) {
  return {
    ...(limit && {
      limit: {
        kind: limit.kind,
        owner_type: limit.ownerType,
        owner_name: limit.ownerName,
        current: limit.current,
        maximum: limit.maximum,
        ...(limit.required !== undefined && { required: limit.required }),
        resets_at: limit.resetsAt,
      },
    }),
    ...(fix !== undefined && { fix }),
    ...(docUrl !== undefined && { doc_url: docUrl }),
    ...(callId !== undefined && { request_id: callId }),
  };
}
