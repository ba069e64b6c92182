import type { OperationDescription } from "../operations.ts";
import { describeOperation, securitySchemes, sharedHeaders } from "./describe-operation.ts";
import { describeNamedSchemas, type JsonObject } from "./to-openapi-schema.ts";

export interface OpenApiFacts {
  /** Version of the published API, independent of the product version. */
  readonly interfaceVersion: string;
  readonly productVersion: string;
  /** For example, `/gateway`. Empty if paths start at the root. */
  readonly rootPath: string;
}

const tagDescriptions: Readonly<Record<OperationDescription["tag"], string>> = {
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
};

/** Builds the OpenAPI 3.1 document for the gateway operations. */
export function buildOpenApi(operations: readonly OperationDescription[], facts: OpenApiFacts): JsonObject {
  // Exclude the operation that returns this document, because generated clients don't need a method for it.
  const described = operations.filter(({ tag }) => tag !== "reference");
  const tags = new Set(described.map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    "x-product-version": facts.productVersion,
    info: {
      title: "Tollgate",
      version: facts.interfaceVersion,
      description:
        "An OpenAI-compatible inference gateway. Operations with two paths are available with and without the `/v1` " +
        "prefix, and both behave the same.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: facts.rootPath === "" ? "/" : facts.rootPath }],
    tags: [...tags].map((name) => ({ name, description: tagDescriptions[name] })),
    paths: describePaths(described),
    components: { securitySchemes, headers: sharedHeaders, schemas: describeNamedSchemas() },
  };
}

function describePaths(operations: readonly OperationDescription[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    for (const path of operation.paths) {
      const methods = paths[path] ?? {};
      methods[operation.method.toLowerCase()] = describeOperation(operation, path);
      paths[path] = methods;
    }
  }
  return paths;
}
