import type { JsonSchema, Resolve } from "./json-schema.ts";

/** One operation as the published description has it, with all paths that lead to it. */
export interface PublishedOperation {
  readonly id: string;
  readonly method: string;
  /** Twins: they must behave alike. */
  readonly paths: readonly string[];
  readonly isKeyed: boolean;
  readonly query: readonly { readonly name: string; readonly required?: boolean; readonly schema: JsonSchema }[];
  readonly body: JsonSchema | null;
  /** No body at all is right too. */
  readonly isBodyOptional: boolean;
  /** It is about records, which have ids of their own and may be there or not. */
  readonly isAboutRecords: boolean;
  /** The body is a form instead of JSON. */
  readonly isForm: boolean;
  /** Keys of other people are refused. */
  readonly isForAdministrators: boolean;
  /** Status, then media type. */
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

/** The pages a browser gets. They are no operations, so the description does not list them. */
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

/** What tells of everybody. */
const administrative = new Set(["getMetrics", "getBookMetrics", "getHealth", "getReadinessDetails"]);

/** What would end the instance that everything else is asked of. */
const leftOut = new Set(["drainInstance"]);

/** Groups of operations on records. */
const aboutRecords = new Set(["assistants", "management"]);

/** Reads the description an instance publishes of itself. Twins share an operation id up to the first underscore. */
export async function readPublishedInterface(baseUrl: string): Promise<PublishedInterface> {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document;
  const operations = new Map<string, PublishedOperation>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      const id = described.operationId.split("_")[0] as string;
      if (leftOut.has(id)) continue;
      const version = operations.get(id);
      // The canonical path stands first and says the most: on paths that name the model, the body need not.
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

/** Responses are made by a call like any other, and are records from then on. */
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
