import { answerJson, type OpenOperation } from "../edge/rest-operation.ts";
import { VERSION } from "../version.ts";

/** Says what answers here and where its description is, to those who open the bare address. */
export const root: OpenOperation = {
  id: "getRoot",
  summary: "Tell what this server is",
  tag: "reference",
  method: "GET",
  paths: ["/"],
  auth: "none",
  routeGroup: "public",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 5_000,
  answers: { 200: { description: "Its name, its version, and where it is described." } },

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
