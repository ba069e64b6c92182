import Type from "typebox";
import { expect, test } from "vitest";
import { ChatRequest } from "../chat/chat-request.ts";
import { ChatChunk, ChatResponse } from "../chat/chat-response.ts";
import { ErrorResponse, HTTPValidationError } from "../error-bodies.ts";
import { ListModelsQuery } from "../models/list-models-query.ts";
import { ModelEntry, ModelList, ModelPathParameters } from "../models/model-entry.ts";
import { modelPaths, type OperationDescription, versionedPaths } from "../operations.ts";
import { buildOpenApi } from "./build-openapi.ts";
import { gatewayApi } from "./gateway-api.ts";

const page = {
  summary: "A page",
  tag: "models",
  method: "GET",
  auth: "key",
  routeGroup: "information",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 1_000,
} as const;
const refusals = {
  401: { description: "No key.", schema: ErrorResponse },
  422: { description: "Bad input.", schema: HTTPValidationError },
  429: { description: "Too many.", schema: ErrorResponse },
};
const operations: readonly OperationDescription[] = [
  {
    ...page,
    id: "listThings",
    paths: versionedPaths("/things"),
    query: ListModelsQuery,
    answers: { 200: { description: "Things.", schema: ModelList }, ...refusals },
  },
  {
    ...page,
    id: "getThing",
    paths: versionedPaths("/things/{model_id}"),
    params: ModelPathParameters,
    answers: { 200: { description: "A thing.", schema: ModelEntry }, ...refusals },
  },
  {
    ...page,
    id: "chat",
    tag: "chat",
    method: "POST",
    paths: modelPaths("/chat"),
    body: ChatRequest,
    answers: { 200: { description: "Words.", schema: ChatResponse, streamed: ChatChunk }, ...refusals },
  },
  { ...page, id: "alive", tag: "health", auth: "none", paths: ["/alive"], answers: { 200: { description: "Yes." } } },
  { ...page, id: "self", tag: "reference", auth: "none", paths: ["/self"], answers: { 200: { description: "This." } } },
];

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly requestBody?: { content: Record<string, { schema: object }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}
interface Document {
  readonly openapi: string;
  readonly info: object;
  readonly servers: object[];
  readonly tags: readonly { name: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, object>; securitySchemes: Record<string, { description: string }> };
}

const facts = { interfaceVersion: "1.84.0", productVersion: "9.9.9", rootPath: "" };
const document = JSON.parse(JSON.stringify(buildOpenApi(gatewayApi, operations, facts))) as Document;
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** Yields every object in the document, starting with the document. */
function* everyObject(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const member of Object.values(value)) yield* everyObject(member);
}

test("includes the API version and, separately, the product version", () => {
  expect(document).toMatchObject({
    openapi: "3.1.0",
    "x-product-version": "9.9.9",
    info: { version: "1.84.0" },
    servers: [{ url: "/" }],
  });
  expect(buildOpenApi(gatewayApi, operations, { ...facts, rootPath: "/gateway" }).servers).toEqual([
    { url: "/gateway" },
  ]);
});

test("every reference resolves", () => {
  const references = [...everyObject(document)].flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
  expect(references.length).toBeGreaterThan(20);
  const lost = references.filter((reference) => {
    const steps = reference.replace("#/", "").split("/");
    return (
      steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document) === undefined
    );
  });
  expect(lost).toEqual([]);
});

test("includes every path of every operation, each with a unique ID and its responses", () => {
  const paths = operations.filter(({ tag }) => tag !== "reference").flatMap((operation) => operation.paths);
  expect(Object.keys(document.paths)).toEqual(paths);
  const ids = described.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain("chat");
  expect(ids).toContain("chat_engines");
  for (const { responses } of described) {
    expect(Object.keys(responses).length).toBeGreaterThan(0);
    for (const { description } of Object.values(responses)) expect(description).not.toBe("");
  }
});

test("declares exactly the parameters that each path contains", () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters } of Object.values(methods)) {
      const declared = parameters.filter((parameter) => parameter.in === "path");
      expect(declared.map(({ name }) => name)).toEqual(inPath);
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  }
});

test("query parameters include their type, default, and description", () => {
  const parameters = document.paths["/things"]?.get?.parameters ?? [];
  expect(parameters.map(({ name }) => name)).toEqual(Object.keys(ListModelsQuery.properties));
  expect(parameters[0]).toEqual({
    name: "return_wildcard_routes",
    in: "query",
    required: false,
    description: expect.any(String),
    schema: { anyOf: [{ type: "boolean" }, { type: "null" }], default: false },
  });
});

test("operations that require a key refer to the security scheme, which lists the other accepted headers", () => {
  expect(document.paths["/things"]?.get?.security).toEqual([{ APIKeyHeader: [] }]);
  expect(document.paths["/alive"]?.get?.security).toEqual([]);
  const scheme = document.components.securitySchemes.APIKeyHeader;
  expect(scheme).toMatchObject({ type: "apiKey", in: "header", name: "x-gw-api-key" });
  for (const carrier of ["Authorization: Bearer", "x-api-key", "api-key"])
    expect(scheme?.description).toContain(carrier);
});

test("refers to body schemas by name, including inside other schemas", () => {
  expect(document.paths["/chat"]?.post?.requestBody?.content["application/json"]?.schema).toEqual({
    $ref: "#/components/schemas/ChatRequest",
  });
  const answer = document.paths["/chat"]?.post?.responses["200"]?.content;
  expect(answer?.["text/event-stream"]?.schema).toEqual({ $ref: "#/components/schemas/ChatChunk" });
  expect(document.components.schemas.ErrorResponse).toEqual({
    type: "object",
    required: ["error"],
    properties: { error: { $ref: "#/components/schemas/ErrorObject" } },
  });
});

test("a union's discriminator becomes an object, and a property named discriminator is unchanged", () => {
  const discriminators = [...everyObject(document)].flatMap(({ discriminator }) => discriminator ?? []);
  expect(discriminators.length).toBeGreaterThan(0);
  for (const discriminator of discriminators) expect(discriminator).toEqual({ propertyName: expect.any(String) });

  const odd = Type.Object({ discriminator: Type.String() });
  const built = buildOpenApi(
    gatewayApi,
    [{ ...page, id: "odd", paths: ["/odd"], answers: { 200: { description: "Odd.", schema: odd } } }],
    facts,
  );
  expect(JSON.stringify(built.paths)).toContain('"properties":{"discriminator":{"type":"string"}}');
});

test("excludes operations that only describe the API", () => {
  expect(document.paths["/self"]).toBeUndefined();
  expect(document.tags.map(({ name }) => name)).toEqual(["models", "chat", "health"]);
});
