import { failures, managementReasons } from "../failure-table.ts";
import type { ManagementOperationDescription } from "../management/operation.ts";
import type { PublishedApi } from "./build-openapi.ts";
import { namedManagementSchemas } from "./named-management-schemas.ts";
import { createSchemaWriter, type JsonObject } from "./to-openapi-schema.ts";

const SECURITY_SCHEME = "Bearer";
const schemas = createSchemaWriter(namedManagementSchemas);

/** The management API. */
export const managementApi: PublishedApi<ManagementOperationDescription> = {
  title: "Tollgate management",
  description:
    "Accounts, organizations, teams, keys, credits, and usage. Amounts are integers in nano-USD, 1 USD = " +
    "1,000,000,000; `usd` contains the same amounts as strings. Times are RFC 3339 in UTC.",
  tags: {
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
  },
  schemas,
  securityScheme: SECURITY_SCHEME,
  components: () => ({
    securitySchemes: {
      [SECURITY_SCHEME]: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "The `token` from `POST /api/auth/token`.",
      },
    },
    schemas: { Error: errorBody(), ...schemas.describeNamed() },
    responses: {
      Error: {
        description: "An error",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
    headers: {
      RequestId: { description: "The request ID. Include it when you report a problem.", schema: { type: "string" } },
    },
  }),
  otherAnswer: { $ref: "#/components/responses/Error" },
  isPublished: () => true,
  isOpen: ({ auth }) => auth === "none" || auth === "signature",
  notes: ({ auth, recentAuthentication }) =>
    [
      auth === "administrator" ? "Requires a platform administrator." : null,
      auth === "signature" ? "Authenticated by the signature of the body." : null,
      recentAuthentication ? "Requires a sign-in within the last 10 minutes." : null,
    ].filter((note) => note !== null),
  headers: describeHeaders,
  answerHeaders: () => ({ "x-request-id": { $ref: "#/components/headers/RequestId" } }),
};

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

function errorBody(): JsonObject {
  const codes = [...new Set(managementReasons.map((reason) => failures[reason].management))];
  return {
    type: "object",
    required: ["error", "code", "docUrl", "requestId"],
    properties: {
      error: { type: "string", description: "The problem." },
      code: { type: "string", enum: codes },
      details: {
        type: "object",
        properties: {
          reason: {
            type: "string",
            enum: managementReasons,
            description:
              "The specific reason. It distinguishes a throttled request (`RATE_LIMITED`) from a model's rate limit (`MODEL_RATE_LIMITED`) and from a missing permission, which have the same `code`.",
          },
        },
        additionalProperties: true,
      },
      fix: { type: "string", description: "How to fix the problem." },
      docUrl: {
        type: "string",
        description: "The page that explains the reason: a URL, or a path if the server does not know its own URL.",
      },
      requestId: { type: "string" },
    },
  };
}
