import type { TSchema } from "typebox";
import type { AnswerDescription, Operation } from "../operations.ts";
import type { JsonObject, SchemaWriter } from "./to-openapi-schema.ts";

/** An interface that is published as one OpenAPI document. */
export interface PublishedApi<Described extends Operation> {
  readonly title: string;
  readonly description: string;
  readonly tags: Readonly<Record<Described["tag"], string>>;
  readonly schemas: SchemaWriter;
  /** Name of the security scheme of operations that require authentication. */
  readonly securityScheme: string;
  /** Response for every status that an operation doesn't list. */
  readonly otherAnswer?: JsonObject;
  /** Components that the document's references point to. */
  components(): JsonObject;
  /** Reports whether the document includes the operation. */
  isPublished(operation: Described): boolean;
  isOpen(operation: Described): boolean;
  /** Sentences about the operation's policy. */
  notes(operation: Described): readonly string[];
  /** Header parameters of the operation. */
  headers(operation: Described): readonly JsonObject[];
  /** Headers of a response, by name. */
  answerHeaders(status: number, answer: AnswerDescription): JsonObject;
}

interface OpenApiFacts {
  /** Version of the published API, independent of the product version. */
  readonly interfaceVersion: string;
  readonly productVersion: string;
  /** For example, `/gateway`. Empty if paths start at the root. */
  readonly rootPath: string;
}

/** Builds the OpenAPI 3.1 document for the operations of one interface. */
export function buildOpenApi<Described extends Operation>(
  api: PublishedApi<Described>,
  operations: readonly Described[],
  facts: OpenApiFacts,
): JsonObject {
  const published = operations.filter((operation) => api.isPublished(operation));
  const tags = new Set<Described["tag"]>(published.map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    "x-product-version": facts.productVersion,
    info: {
      title: api.title,
      version: facts.interfaceVersion,
      description: api.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: facts.rootPath === "" ? "/" : facts.rootPath }],
    tags: [...tags].map((name) => ({ name, description: api.tags[name] })),
    paths: describePaths(api, published),
    components: api.components(),
  };
}

function describePaths<Described extends Operation>(
  api: PublishedApi<Described>,
  operations: readonly Described[],
): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    for (const path of operation.paths) {
      const methods = paths[path] ?? {};
      methods[operation.method.toLowerCase()] = describeOperation(api, operation, path);
      paths[path] = methods;
    }
  }
  return paths;
}

/**
 * Describes one operation at one of its paths. Paths other than the first add their prefix to the operation ID to keep
 * it unique.
 */
function describeOperation<Described extends Operation>(
  api: PublishedApi<Described>,
  operation: Described,
  path: string,
): JsonObject {
  const [canonical = path] = operation.paths;
  const isOtherPath = path !== canonical;
  const sentences = [...describePathsOf(operation, path), ...api.notes(operation)];
  return {
    operationId: isOtherPath ? `${operation.id}_${firstSegment(path)}` : operation.id,
    summary: operation.summary,
    ...(sentences.length > 0 && { description: sentences.join(" ") }),
    tags: [operation.tag],
    // The reference page shows an operation once, under its first path.
    ...(isOtherPath && { "x-scalar-ignore": true }),
    security: api.isOpen(operation) ? [] : [{ [api.securityScheme]: [] }],
    parameters: [
      ...describeParams(operation, path, api.schemas),
      ...describeQuery(operation, api.schemas),
      ...api.headers(operation),
    ],
    ...describeBody(operation, path, api.schemas),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, answer]) => [
          status,
          describeAnswer(api, Number(status), answer),
        ]),
      ),
      ...(api.otherAnswer !== undefined && { default: api.otherAnswer }),
    },
  };
}

function describePathsOf({ paths }: Operation, path: string): readonly string[] {
  const [canonical, ...others] = paths;
  if (others.length === 0) return [];
  if (path !== canonical) return [`Same as \`${canonical}\`.`];
  return [`Also available at ${others.map((other) => `\`${other}\``).join(", ")}.`];
}

function firstSegment(path: string): string {
  return path.split("/").filter((segment) => segment !== "")[0] ?? "root";
}

function describeBody(operation: Operation, path: string, schemas: SchemaWriter): JsonObject {
  const body = path.includes("{model}") ? (operation.bodyUnderModelPath ?? operation.body) : operation.body;
  if (body === undefined) return {};
  const { bodyContentType = "application/json", isBodyOptional = false } = operation;
  return {
    requestBody: { required: !isBodyOptional, content: { [bodyContentType]: { schema: schemas.write(body) } } },
  };
}

function describeParams({ params }: Operation, path: string, schemas: SchemaWriter): readonly JsonObject[] {
  const described = propertiesOf(params, schemas);
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: described[name] ?? { type: "string" },
  }));
}

function describeQuery({ query }: Operation, schemas: SchemaWriter): readonly JsonObject[] {
  const required = (query as { required?: readonly string[] } | undefined)?.required ?? [];
  return Object.entries(propertiesOf(query, schemas)).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    // Parameters with a default are optional.
    required: required.includes(name) && schema.default === undefined,
    ...(description !== undefined && { description }),
    schema,
  }));
}

function propertiesOf(schema: TSchema | undefined, schemas: SchemaWriter): Readonly<Record<string, JsonObject>> {
  if (schema === undefined) return {};
  return (schemas.write(schema) as { properties?: Record<string, JsonObject> }).properties ?? {};
}

function describeAnswer<Described extends Operation>(
  { schemas, answerHeaders }: PublishedApi<Described>,
  status: number,
  answer: AnswerDescription,
): JsonObject {
  const { schema, streamed, contentType = "application/json", otherTypes = [] } = answer;
  const content = {
    ...(schema && { [contentType]: { schema: schemas.write(schema) } }),
    ...Object.fromEntries(otherTypes.map((type) => [type, { schema: { type: "string" } }])),
    ...(streamed && { "text/event-stream": { schema: schemas.write(streamed) } }),
  };
  return {
    description: answer.description,
    headers: answerHeaders(status, answer),
    ...(Object.keys(content).length > 0 && { content }),
  };
}
