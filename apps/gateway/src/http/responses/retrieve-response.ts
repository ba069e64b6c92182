import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { ResponseObject } from "@tollgate/contracts/responses/response-object.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { absent, knownId, responseFailures, responseRules, storeOf } from "./response-rules.ts";

/** Retrieves a stored response by ID. */
export const retrieveResponse: KeyedOperation = {
  ...responseRules,
  id: "retrieveResponse",
  summary: "Retrieve a response",
  method: "GET",
  paths: versionedPaths("/responses/{response_id}"),
  answers: { 200: { description: "The response.", schema: ResponseObject }, ...responseFailures },

  async handle({ caller, params }, context) {
    const id = knownId(params.response_id);
    const kept = await storeOf(context).find(actingFor(caller), id);
    if (kept === null) throw absent(id);
    return answerJson(kept.response);
  },
};
