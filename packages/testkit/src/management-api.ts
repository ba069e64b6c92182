import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findMismatch, type JsonSchema, type Resolve } from "./json-schema.ts";

/** An operation of the management API, as the published description has it. */
interface ManagementOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: ReadonlyMap<string, JsonSchema>;
  readonly requiredQuery: readonly string[];
  /** Names of required headers, in lowercase. */
  readonly requiredHeaders: readonly string[];
  readonly body: JsonSchema | null;
  readonly isBodyRequired: boolean;
  /** Response schemas by status. A response without JSON has no schema. */
  readonly answers: ReadonlyMap<number, JsonSchema | null>;
}

interface ManagementRequest {
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed JSON body; undefined if the request has none. */
  readonly body: unknown;
}

/** Returns the operation that serves a path, and the values of its path parameters; null if there is none. */
export function findOperation(
  method: string,
  pathname: string,
): { readonly operation: ManagementOperation; readonly params: Readonly<Record<string, string>> } | null {
  for (const { operation, pattern } of readRoutes()) {
    const match = operation.method === method ? pattern.exec(pathname) : null;
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]);
    return { operation, params: Object.fromEntries(params) };
  }
  return null;
}

/** Returns the operation with this ID. Throws if the description has none. */
export function operationOf(id: string): ManagementOperation {
  const route = readRoutes().find(({ operation }) => operation.id === id);
  if (route === undefined) throw new Error(`The management API has no operation '${id}'.`);
  return route.operation;
}

/** Returns the reason that a request doesn't match its operation, or null. Undescribed members count as mismatches. */
export function findRequestProblem(
  operation: ManagementOperation,
  { query, headers, body }: ManagementRequest,
): string | null {
  for (const name of new Set(query.keys())) {
    const schema = operation.query.get(name);
    if (schema === undefined) return `unknown query parameter '${name}'`;
    const mismatch = findMismatch(schema, readParameter(schema, query.getAll(name)), resolve, name);
    if (mismatch !== null) return mismatch;
  }
  const missing = operation.requiredQuery.find((name) => !query.has(name));
  if (missing !== undefined) return `query parameter '${missing}' is missing`;
  const absent = operation.requiredHeaders.find((name) => headers[name] === undefined);
  if (absent !== undefined) return `header '${absent}' is missing`;
  if (body === undefined) return operation.isBodyRequired ? "the body is missing" : null;
  return operation.body === null ? "a body is not allowed" : findMismatch(close(operation.body), body, resolve, "body");
}

/** Returns the reason that a successful answer doesn't match its operation, or null. */
export function findAnswerProblem(operation: ManagementOperation, status: number, body: unknown): string | null {
  const schema = operation.answers.get(status);
  if (schema === undefined) return `status ${status} is not described`;
  return schema === null ? null : findMismatch(schema, body, resolve, "answer");
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface Route {
  readonly operation: ManagementOperation;
  readonly pattern: RegExp;
}

let description: Description | null = null;
let routes: readonly Route[] | null = null;

function describe(): Description {
  const path = join(import.meta.dirname, "../../../docs/api/management.json");
  description ??= JSON.parse(readFileSync(path, "utf8")) as Description;
  return description;
}

/** Returns all operations. A path without parameters comes before a path with parameters that also matches it. */
function readRoutes(): readonly Route[] {
  routes ??= Object.entries(describe().paths)
    .toSorted(([one], [other]) => one.split("{").length - other.split("{").length)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        operation: readOperation(method.toUpperCase(), path, described),
        pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
      })),
    );
  return routes;
}

function readOperation(method: string, path: string, described: DescribedOperation): ManagementOperation {
  const { parameters = [] } = described;
  const query = parameters.filter((parameter) => parameter.in === "query");
  const headers = parameters.filter((parameter) => parameter.in === "header" && parameter.required === true);
  const statuses = Object.entries(described.responses).filter(([status]) => /^\d+$/.test(status));
  return {
    id: described.operationId,
    method,
    path,
    query: new Map(query.map(({ name, schema }) => [name, schema])),
    requiredQuery: query.filter(({ required }) => required === true).map(({ name }) => name),
    requiredHeaders: headers.map(({ name }) => name.toLowerCase()),
    body: described.requestBody?.content["application/json"]?.schema ?? null,
    isBodyRequired: described.requestBody?.required === true,
    answers: new Map(
      statuses.map(([status, { content }]) => [Number(status), content?.["application/json"]?.schema ?? null]),
    ),
  };
}

const resolve: Resolve = (reference) => {
  const schema = describe().components.schemas[reference.replace("#/components/schemas/", "")];
  if (schema === undefined) throw new Error(`The management API has no schema '${reference}'.`);
  return schema;
};

/** Converts the text of a query parameter to its described type. */
function readParameter(schema: JsonSchema, texts: readonly string[]): unknown {
  if (schema.type === "array") return texts.map((text) => readParameter(schema.items ?? {}, [text]));
  const [text = ""] = texts;
  if (schema.anyOf !== undefined) {
    const values = schema.anyOf.map((variant) => readParameter(variant, texts));
    return values.find((value) => findMismatch(schema, value, resolve) === null) ?? text;
  }
  if (schema.type === "integer" || schema.type === "number") return text === "" ? text : Number(text);
  if (schema.type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

/** Returns the schema with all described objects closed, so that a misspelled member is a mismatch. */
function close(schema: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined) return close(resolve(schema.$ref));
  const { anyOf, items, properties, additionalProperties } = schema;
  return {
    ...schema,
    ...(anyOf !== undefined && { anyOf: anyOf.map(close) }),
    ...(items !== undefined && { items: close(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, close(part)])),
      additionalProperties: additionalProperties ?? false,
    }),
  };
}
