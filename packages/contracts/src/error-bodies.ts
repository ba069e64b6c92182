import Type, { type Static } from "typebox";
import { failures, gatewayCodeOf, gatewayKindOf, managementReasonOf } from "./failure-table.ts";
import { type Failure, ValidationFailure } from "./failures.ts";

const LimitObject = Type.Object(
  {
    kind: Type.Union([
      Type.Literal("requests"),
      Type.Literal("tokens"),
      Type.Literal("max_parallel_requests"),
      Type.Literal("budget"),
      Type.Literal("credit"),
      Type.Literal("queued_runs"),
      Type.Literal("run_streams"),
      Type.Literal("stored_bytes"),
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
  doc_url: Type.String({
    description: "The page that explains the code: a URL, or a path if the server does not know its own URL.",
  }),
  request_id: Type.String({ description: "The call ID, as in the `x-gw-call-id` header." }),
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

/** What a failed request's error body says about the request and the server. */
export interface ErrorContext {
  readonly requestId: string;
  /** URL or path of the documentation, without a trailing slash. */
  readonly docsUrl: string;
}

/**
 * Converts a failure to OpenAI's format. Style `status` uses the HTTP status as the code, for clients that expect a
 * status code. The limit and the fix are added if they are known.
 */
export function toErrorBody(
  failure: Failure,
  style: ErrorCodeStyle,
  context: ErrorContext,
): Static<typeof ErrorResponse> | Static<typeof HTTPValidationError> {
  const kind = gatewayKindOf(failure.code);
  const error = {
    message: failure.message,
    type: kind.type,
    param: failure.facts.param ?? null,
    code: style === "status" ? String(kind.status) : gatewayCodeOf(failure.code),
    ...(failure.facts.providerFields && { provider_specific_fields: failure.facts.providerFields }),
    ...explanationOf(failure, context),
  };
  if (failure instanceof ValidationFailure) {
    return { detail: failure.problems.map(({ loc, msg, type }) => ({ loc: [...loc], msg, type })), error };
  }
  return { error };
}

/** Converts a failure to the management API's format. */
export function toManagementErrorBody(
  { code, message, facts }: Failure,
  { requestId, docsUrl }: ErrorContext,
): {
  readonly error: string;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly fix?: string;
  readonly docUrl: string;
  readonly requestId: string;
} {
  const reason = managementReasonOf(code);
  return {
    error: message,
    code: failures[reason].management,
    details: { reason, ...facts.publicDetails },
    ...(facts.fix !== undefined && { fix: facts.fix }),
    docUrl: `${docsUrl}/errors/reasons/${reason}`,
    requestId,
  };
}

/** Returns what explains a failure: its limit, its fix, and the links to the request and to the page about its code. */
export function explanationOf({ code, facts: { limit, fix } }: Failure, { requestId, docsUrl }: ErrorContext) {
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
    doc_url: `${docsUrl}/errors/codes/${gatewayCodeOf(code)}`,
    request_id: requestId,
  };
}
