import type { JsonSchema, Resolve } from "@tollgate/testkit/json-schema.ts";

/** One published operation, with all of its paths. */
export interface PublishedOperation {
  readonly id: string;
  readonly method: string;
  /** All paths must behave the same. */
  readonly paths: readonly string[];
  readonly isKeyed: boolean;
  readonly query: readonly { readonly name: string; readonly required?: boolean; readonly schema: JsonSchema }[];
  readonly body: JsonSchema | null;
  /** True if the body may be omitted. */
  readonly isBodyOptional: boolean;
  /** True for operations that address a record by ID, so the record can be missing. */
  readonly isAboutRecords: boolean;
  /** True if the body is a form; false if it is JSON. */
  readonly isForm: boolean;
  /** True if only administrator keys are accepted. */
  readonly isForAdministrators: boolean;
  /** Response schemas by status, then media type. */
  readonly answers: ReadonlyMap<number, ReadonlyMap<string, JsonSchema | null>>;
}

export interface PublishedInterface {
  readonly operations: readonly PublishedOperation[];
  readonly resolve: Resolve;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
}

interface DocumentOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema?: JsonSchema }>> }>
  >;
}

/** Browser pages, which the description omits because they are not API operations. */
const pages: readonly PublishedOperation[] = ["/", "/openapi.json", "/docs/api"].map((path) => ({
  id: `page ${path}`,
  method: "GET",
  paths: [path],
  isKeyed: false,
  query: [],
  body: null,
  isBodyOptional: false,
  isAboutRecords: false,
  isForm: false,
  isForAdministrators: false,
  answers: new Map([
    [200, new Map()],
    [302, new Map()],
  ]),
}));

/** Operations that return data about all users. */
const administrative = new Set(["getMetrics", "getLedgerMetrics", "getHealth", "getReadinessDetails"]);

/** Operation that is excluded because it would stop the instance under test. */
const leftOut = new Set(["drainInstance"]);

/** Tags of operations on records. */
const aboutRecords = new Set(["assistants", "management"]);

/**
 * Reads the OpenAPI description that an instance publishes. Paths of the same operation share the operation ID up to
 * the first underscore.
 */
export async function readPublishedInterface(baseUrl: string): Promise<PublishedInterface> {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document;
  const operations = new Map<string, PublishedOperation>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      const id = described.operationId.split("_")[0] as string;
      if (leftOut.has(id)) continue;
      const version = operations.get(id);
      // The canonical path comes first and has the strictest body schema. On paths with a model, the body may omit the
      // model.
      operations.set(id, { ...(version ?? describe(id, method, described)), paths: [...(version?.paths ?? []), path] });
    }
  }
  return { operations: [...operations.values(), ...pages], resolve: (reference) => follow(document, reference) };
}

function describe(id: string, method: string, described: DocumentOperation): Omit<PublishedOperation, "paths"> {
  const answers = Object.entries(described.responses).map(([status, { content = {} }]) => {
    const types = Object.entries(content).map(([type, { schema }]) => [type, schema ?? null] as const);
    return [Number(status), new Map(types)] as const;
  });
  const { content = {} } = described.requestBody ?? {};
  const form = content["multipart/form-data"]?.schema;
  return {
    id,
    method: method.toUpperCase(),
    isKeyed: (described.security ?? []).length > 0,
    query: (described.parameters ?? []).filter((parameter) => parameter.in === "query"),
    body: form ?? content["application/json"]?.schema ?? null,
    isBodyOptional: described.requestBody?.required === false,
    isAboutRecords: described.tags?.some((tag) => aboutRecords.has(tag)) === true || namesResponse(described),
    isForm: form !== undefined,
    isForAdministrators: administrative.has(id),
    answers: new Map(answers),
  };
}

/** Reports whether the operation acts on a stored response. A model call creates a response, which is then a record. */
function namesResponse({ parameters = [] }: DocumentOperation): boolean {
  return parameters.some(({ in: place, name }) => place === "path" && name === "response_id");
}

function follow(document: unknown, reference: string): JsonSchema {
  const found = reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
  if (found === undefined) throw new Error(`the published description has no ${reference}`);
  return found as JsonSchema;
}
