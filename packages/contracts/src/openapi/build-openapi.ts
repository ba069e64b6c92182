import type { OperationDescription } from "../operations.ts";
import { describeOperation, securitySchemes, sharedHeaders } from "./describe-operation.ts";
import { describeNamedSchemas, type JsonObject } from "./to-openapi-schema.ts";

export interface OpenApiFacts {
  /** Of the published interface, which moves apart from the product's. */
  readonly interfaceVersion: string;
  readonly productVersion: string;
  /** Such as `/gateway`; empty when addresses begin at the root. */
  readonly rootPath: string;
}

const tagDescriptions: Readonly<Record<OperationDescription["tag"], string>> = {
  models: "The models a key may use, and what is known of them.",
  chat: "Chat completions, over any provider.",
  messages: "The same for clients of Anthropic's interface, over whichever model.",
  completions: "Text completions, also of models that only chat.",
  embeddings: "Vectors of texts.",
  moderations: "Whether content is against a provider's policies.",
  audio: "Speech from text, and text from speech.",
  images: "Pictures from descriptions.",
  responses: "Responses, over any provider: made, continued, read again and deleted.",
  rerank: "Documents in the order in which they answer a query.",
  assistants: "Assistants, threads, messages and runs, on any model.",
  management: "Keys, teams, spending and models of the database, as clients of such gateways know them.",
  utilities: "What a call would count, cost and send, without making it.",
  health: "How this instance is, and what it has done.",
  reference: "This description, and pages that show it.",
};

/** The published description of the operations, as an OpenAPI 3.1 document. */
export function buildOpenApi(operations: readonly OperationDescription[], facts: OpenApiFacts): JsonObject {
  // The description does not describe itself: clients are made from it, and none needs a method for it.
  const described = operations.filter(({ tag }) => tag !== "reference");
  const tags = new Set(described.map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    "x-product-version": facts.productVersion,
    info: {
      title: "Tollgate",
      version: facts.interfaceVersion,
      description:
        "An OpenAI-compatible inference gateway. Every operation exists with and without the `/v1` prefix where two " +
        "paths are named, and both behave alike.",
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
