import { ErrorResponse, HTTPValidationError } from "../error-bodies.ts";
import type { AnswerDescription, OperationDescription } from "../operations.ts";
import type { PublishedApi } from "./build-openapi.ts";
import { namedSchemas } from "./named-schemas.ts";
import { createSchemaWriter } from "./to-openapi-schema.ts";

const SECURITY_SCHEME = "APIKeyHeader";
const schemas = createSchemaWriter(namedSchemas);

/** The gateway's interface, including LiteLLM-compatible paths. */
export const gatewayApi: PublishedApi<OperationDescription> = {
  title: "Tollgate",
  description:
    "An OpenAI-compatible inference gateway. Operations with two paths are available with and without the `/v1` " +
    "prefix, and both behave the same.",
  tags: {
    models: "The models that a key can use, and their details.",
    chat: "Chat completions with any provider.",
    messages: "Anthropic-compatible messages with any model.",
    completions: "Text completions, including with chat-only models.",
    embeddings: "Text embeddings.",
    moderations: "Content checks against a provider's policies.",
    audio: "Text to speech and speech to text.",
    images: "Image generation.",
    responses: "Create, continue, retrieve, and delete responses with any provider.",
    rerank: "Rank documents by relevance to a query.",
    assistants: "Assistants, threads, messages, and runs with any model.",
    management: "LiteLLM-compatible management of keys, teams, spend, and database models.",
    utilities: "Token counts, costs, and provider requests without sending a request.",
    health: "Instance health and metrics.",
    reference: "The OpenAPI document and the API reference pages.",
  },
  schemas,
  securityScheme: SECURITY_SCHEME,
  components: () => ({
    securitySchemes: {
      [SECURITY_SCHEME]: {
        type: "apiKey",
        in: "header",
        name: "x-gw-api-key",
        description:
          "A key that starts with `sk-`. By default, these headers are accepted, and the first one present " +
          "is used: `x-gw-api-key`, `Authorization: Bearer sk-…`, `x-api-key`, `api-key`.",
      },
    },
    headers: {
      CallId: {
        description: "The request ID: the `x-gw-call-id` sent by the client, or a generated one.",
        schema: { type: "string" },
      },
      Version: { description: "The server version.", schema: { type: "string" } },
      ErrorName: { description: "The error class name.", schema: { type: "string" } },
      RetryAfter: { description: "Seconds to wait before retrying.", schema: { type: "integer", minimum: 1 } },
    },
    schemas: schemas.describeNamed(),
  }),
  // Exclude the operation that returns this document, because generated clients don't need a method for it.
  isPublished: ({ tag }) => tag !== "reference",
  isOpen: ({ auth }) => auth === "none",
  notes: () => [],
  headers: () => [],
  answerHeaders: (status, { schema }) =>
    Object.fromEntries(
      headerNames(status, isRefusal(schema)).map(([header, name]) => [
        header,
        { $ref: `#/components/headers/${name}` },
      ]),
    ),
};

function isRefusal(schema: AnswerDescription["schema"]): boolean {
  if (schema === ErrorResponse || schema === HTTPValidationError) return true;
  const variants = (schema as { anyOf?: NonNullable<AnswerDescription["schema"]>[] } | undefined)?.anyOf;
  return variants?.every(isRefusal) ?? false;
}

function headerNames(status: number, refuses: boolean): readonly (readonly [string, string])[] {
  return [
    ["x-gw-call-id", "CallId"],
    ["x-gw-version", "Version"],
    ...(refuses ? ([["x-gw-error-name", "ErrorName"]] as const) : []),
    ...(refuses && (status === 429 || status === 503) ? ([["retry-after", "RetryAfter"]] as const) : []),
  ];
}
