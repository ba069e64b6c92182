import { VERSION } from "../../call/version.ts";
import { answerJson, type OpenOperation } from "../api-operation.ts";

/** Describes the server and links to its documentation, for requests to the root path. */
export const root: OpenOperation = {
  id: "getRoot",
  summary: "Get server information",
  tag: "reference",
  method: "GET",
  paths: ["/"],
  auth: "none",
  routeGroup: "public",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 5_000,
  answers: { 200: { description: "The server's name, version, and documentation URLs." } },

  handle(_input, { current }) {
    const { serverRootPath } = current().settings.general;
    return answerJson({
      name: "Tollgate",
      version: VERSION,
      docs: `${serverRootPath}/docs/api`,
      openapi: `${serverRootPath}/openapi.json`,
    });
  },
};
