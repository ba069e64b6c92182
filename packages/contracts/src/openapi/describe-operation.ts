import { ErrorResponse, HTTPValidationError } from "../error-bodies.ts";
import type { AnswerDescription, OperationDescription } from "../operations.ts";
import { type JsonObject, toOpenApiSchema } from "./to-openapi-schema.ts";

const SECURITY_SCHEME = "APIKeyHeader";

/**
 * Describes one operation at one of its paths. Paths other than the first add their prefix to the operation ID to keep
 * it unique.
 */
export function describeOperation(operation: OperationDescription, path: string): JsonObject {
  const [canonical = path] = operation.paths;
  const isVersionedPath = path !== canonical;
  return {
    operationId: isVersionedPath ? `${operation.id}_${firstSegment(path)}` : operation.id,
    summary: operation.summary,
    ...(operation.paths.length > 1 && {
      description: isVersionedPath ? `Same as \`${canonical}\`.` : describeVersionedPaths(operation),
    }),
    tags: [operation.tag],
    // The reference page shows an operation once, under its first path.
    ...(isVersionedPath && { "x-scalar-ignore": true }),
    security: operation.auth === "key" ? [{ [SECURITY_SCHEME]: [] }] : [],
    parameters: [...describePathParameters(operation, path), ...describeQuery(operation)],
    ...describeBody(operation, path),
    responses: Object.fromEntries(
      Object.entries(operation.answers).map(([status, answer]) => [status, describeAnswer(Number(status), answer)]),
    ),
  };
}

function describeBody(operation: OperationDescription, path: string): JsonObject {
  const body = path.includes("{model}") ? (operation.bodyUnderModelPath ?? operation.body) : operation.body;
  if (body === undefined) return {};
  const { bodyContentType = "application/json", isBodyOptional = false } = operation;
  const content = { [bodyContentType]: { schema: toOpenApiSchema(body) } };
  return { requestBody: { required: !isBodyOptional, content } };
}

/** Security scheme for operations that require a key. */
export const securitySchemes: JsonObject = {
  [SECURITY_SCHEME]: {
    type: "apiKey",
    in: "header",
    name: "x-gw-api-key",
    description:
      "A key that starts with `sk-`. By default, these headers are accepted, and the first one present " +
      "is used: `x-gw-api-key`, `Authorization: Bearer sk-…`, `x-api-key`, `api-key`.",
  },
};

/** Headers that several responses share. */
export const sharedHeaders: JsonObject = {
  CallId: {
    description: "The request ID: the `x-gw-call-id` sent by the client, or a generated one.",
    schema: { type: "string" },
  },
  Version: { description: "The server version.", schema: { type: "string" } },
  ErrorName: { description: "The error class name.", schema: { type: "string" } },
  RetryAfter: { description: "Seconds to wait before retrying.", schema: { type: "integer", minimum: 1 } },
};

function describeVersionedPaths({ paths }: OperationDescription): string {
  const others = paths.slice(1).map((path) => `\`${path}\``);
  return `Also available at ${others.join(", ")}.`;
}

function firstSegment(path: string): string {
  return path.split("/").filter((segment) => segment !== "")[0] ?? "root";
}

function describePathParameters(operation: OperationDescription, path: string): readonly JsonObject[] {
  const described = propertiesOf(operation.pathParameters);
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: described[name] ?? { type: "string" },
  }));
}

function describeQuery({ query }: OperationDescription): readonly JsonObject[] {
  const required = (query as { required?: readonly string[] } | undefined)?.required ?? [];
  return Object.entries(propertiesOf(query)).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function propertiesOf(schema: OperationDescription["query"]): Readonly<Record<string, JsonObject>> {
  if (schema === undefined) return {};
  return (toOpenApiSchema(schema) as { properties?: Record<string, JsonObject> }).properties ?? {};
}

function describeAnswer(status: number, answer: AnswerDescription): JsonObject {
  const { schema, streamed, contentType = "application/json", otherTypes = [] } = answer;
  const content = {
    ...(schema && { [contentType]: { schema: toOpenApiSchema(schema) } }),
    ...Object.fromEntries(otherTypes.map((type) => [type, { schema: { type: "string" } }])),
    ...(streamed && { "text/event-stream": { schema: toOpenApiSchema(streamed) } }),
  };
  return {
    description: answer.description,
    headers: Object.fromEntries(
      headerNames(status, isRefusal(schema)).map(([header, name]) => [
        header,
        { $ref: `#/components/headers/${name}` },
      ]),
    ),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

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
