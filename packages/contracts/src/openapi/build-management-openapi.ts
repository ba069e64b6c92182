import type { TSchema } from "typebox";
import { managementFailures } from "../management/failure.ts";
import type { ManagementOperationDescription, ManagementTag } from "../management/operation.ts";
import { namedManagementSchemas } from "./named-management-schemas.ts";
import { createSchemaWriter, type JsonObject } from "./to-openapi-schema.ts";

export interface ManagementOpenApiFacts {
  /** Version of the published API, independent of the product version. */
  readonly interfaceVersion: string;
  readonly productVersion: string;
}

const SECURITY_SCHEME = "Bearer";
const schemas = createSchemaWriter(namedManagementSchemas);

const tagDescriptions: Readonly<Record<ManagementTag, string>> = {
  identity: "Accounts, sessions, and passwords.",
  organizations: "Organizations and their members.",
  teams: "Teams, their members, and invitations.",
  keys: "API keys for inference requests.",
  catalog: "Models and providers. No sign-in required.",
  credits: "Balance, quota, and purchases.",
  usage: "Requests and their cost.",
  messages: "Chat completions for signed-in users.",
  relay: "Gateway operations for signed-in users. Each request uses one of the user's keys, selected by ID.",
  webhooks: "Events delivered to your URLs.",
  training: "Training runs in the configured folder.",
  admin: "Operations for platform administrators.",
  system: "Health and self-description of the platform.",
};

/** Builds the OpenAPI 3.1 document for the management API. */
export function buildManagementOpenApi(
  operations: readonly ManagementOperationDescription[],
  facts: ManagementOpenApiFacts,
): JsonObject {
  const tags = new Set(operations.map(({ tag }) => tag));
  return {
    openapi: "3.1.0",
    "x-product-version": facts.productVersion,
    info: {
      title: "Tollgate management",
      version: facts.interfaceVersion,
      description:
        "Accounts, organizations, teams, keys, credits, and usage. Amounts are integers in nano-USD, 1 USD = " +
        "1,000,000,000; `usd` contains the same amounts as strings. Times are RFC 3339 in UTC.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...tags].map((name) => ({ name, description: tagDescriptions[name] })),
    paths: describePaths(operations),
    components: {
      securitySchemes: {
        [SECURITY_SCHEME]: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The `token` from `POST /api/auth/token`.",
        },
      },
      schemas: { Error: errorBody(), ...schemas.describeNamed() },
      responses: { Error: { description: "An error", content: jsonOf({ $ref: "#/components/schemas/Error" }) } },
      headers: {
        RequestId: { description: "The request ID. Include it when you report a problem.", schema: { type: "string" } },
      },
    },
  };
}

function describePaths(operations: readonly ManagementOperationDescription[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    methods[operation.method.toLowerCase()] = describeOperation(operation);
    paths[operation.path] = methods;
  }
  return paths;
}

function describeOperation(operation: ManagementOperationDescription): JsonObject {
  const isOpen = operation.auth === "none" || operation.auth === "signature";
  const notes = [
    operation.auth === "administrator" ? "Requires a platform administrator." : null,
    operation.auth === "signature" ? "Authenticated by the signature of the body." : null,
    operation.recentAuthentication ? "Requires a sign-in within the last 10 minutes." : null,
  ].filter((note) => note !== null);
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(notes.length > 0 && { description: notes.join(" ") }),
    tags: [operation.tag],
    security: isOpen ? [] : [{ [SECURITY_SCHEME]: [] }],
    parameters: [...describePathParameters(operation), ...describeQuery(operation), ...describeHeaders(operation)],
    ...(operation.body !== undefined && {
      requestBody: {
        required: true,
        content: { [operation.rawBody ?? "application/json"]: { schema: schemas.write(operation.body) } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, answer]) => [status, describeAnswer(answer)]),
      ),
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

function describePathParameters({ path, params }: ManagementOperationDescription): readonly JsonObject[] {
  const described = propertiesOf(params);
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: described[name] ?? { type: "string" },
  }));
}

function describeQuery({ query }: ManagementOperationDescription): readonly JsonObject[] {
  const required = (query as { required?: readonly string[] } | undefined)?.required ?? [];
  return Object.entries(propertiesOf(query)).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    // Parameters with a default are optional.
    required: required.includes(name) && schema.default === undefined,
    ...(description !== undefined && { description }),
    schema,
  }));
}

function describeHeaders({
  idempotency,
  auth,
  headers: own = {},
}: ManagementOperationDescription): readonly JsonObject[] {
  const headers: JsonObject[] = Object.entries(own).map(([name, description]) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  }));
  if (idempotency !== "none") {
    headers.push({
      name: "Idempotency-Key",
      in: "header",
      required: idempotency === "required",
      description: "Requests with the same key and body run once and return the same response for 24 hours.",
      schema: { type: "string", minLength: 1, maxLength: 255 },
    });
  }
  if (auth === "user") {
    headers.push({
      name: "X-Gw-Organization",
      in: "header",
      required: false,
      description: "The organization to use for this request instead of the session's active one.",
      schema: { type: "string" },
    });
  }
  return headers;
}

function describeAnswer(answer: ManagementOperationDescription["answers"][number]): JsonObject {
  const { schema, contentType = "application/json" } = answer;
  return {
    description: answer.description,
    headers: { "x-request-id": { $ref: "#/components/headers/RequestId" } },
    ...(schema !== undefined && { content: { [contentType]: { schema: schemas.write(schema) } } }),
  };
}

function errorBody(): JsonObject {
  const codes = [...new Set(Object.values(managementFailures).map(({ code }) => code))];
  return {
    type: "object",
    required: ["error", "code"],
    properties: {
      error: { type: "string", description: "The problem and how to fix it." },
      code: { type: "string", enum: codes },
      details: {
        type: "object",
        properties: { reason: { type: "string", enum: Object.keys(managementFailures) } },
        additionalProperties: true,
      },
      requestId: { type: "string" },
    },
  };
}

function propertiesOf(schema: TSchema | undefined): Readonly<Record<string, JsonObject>> {
  if (schema === undefined) return {};
  return (schemas.write(schema) as { properties?: Record<string, JsonObject> }).properties ?? {};
}

const jsonOf = (schema: JsonObject): JsonObject => ({ "application/json": { schema } });
