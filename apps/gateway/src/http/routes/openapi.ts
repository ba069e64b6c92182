import { buildOpenApi } from "@tollgate/contracts/openapi/build-openapi.ts";
import { gatewayApi } from "@tollgate/contracts/openapi/gateway-api.ts";
import { INTERFACE_VERSION, VERSION } from "../../call/version.ts";
import { answerJson, type OpenOperation } from "../api-operation.ts";

/** Returns the OpenAPI document, generated from the schemas that validate requests. */
export const openApi: OpenOperation = {
  id: "getOpenApi",
  summary: "Get the OpenAPI document",
  tag: "reference",
  method: "GET",
  paths: ["/openapi.json"],
  auth: "none",
  routeGroup: "public",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
  answers: { 200: { description: "An OpenAPI 3.1 document." } },

  handle(_input, context) {
    const rootPath = context.current().settings.general.serverRootPath;
    const versions = { interfaceVersion: INTERFACE_VERSION, productVersion: VERSION };
    return answerJson(buildOpenApi(gatewayApi, context.operations(), { ...versions, rootPath }));
  },
};
