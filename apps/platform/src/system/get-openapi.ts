import { buildOpenApi } from "@tollgate/contracts/openapi/build-openapi.ts";
import { managementApi } from "@tollgate/contracts/openapi/management-api.ts";
import { type ManagementOperation, operation, read } from "../operation.ts";
import { INTERFACE_VERSION, VERSION } from "../version.ts";

/** Returns the OpenAPI document for the given operations. */
export function describeManagementInterface(operations: readonly ManagementOperation[]): object {
  const versions = { interfaceVersion: INTERFACE_VERSION, productVersion: VERSION };
  return buildOpenApi(managementApi, operations, { ...versions, rootPath: "" });
}

/**
 * Creates the operation that returns the OpenAPI document for all operations, including itself. The document is built
 * on first use.
 */
export function getOpenApi(listOperations: () => readonly ManagementOperation[]): ManagementOperation {
  let text: Buffer | null = null;
  return operation({
    ...read,
    id: "getManagementOpenApi",
    summary: "Get this OpenAPI document",
    tag: "system",
    path: "/api/openapi.json",
    auth: "none",
    scope: "own",
    answers: { 200: { description: "An OpenAPI 3.1 document", schema: {} } },
    handle: async () => {
      text ??= Buffer.from(JSON.stringify(describeManagementInterface(listOperations())));
      return {
        status: 200,
        headers: { "cache-control": "public, max-age=60" },
        raw: { contentType: "application/json", content: text },
      };
    },
  });
}
