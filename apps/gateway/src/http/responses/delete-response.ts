import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { DeletedResponse } from "@tollgate/contracts/responses/response-object.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { absent, knownId, responseFailures, responseRules, storeOf } from "./response-rules.ts";

/** Deletes a response. Later responses in the conversation can still be read, but can no longer be continued. */
export const deleteResponse: KeyedOperation = {
  ...responseRules,
  id: "deleteResponse",
  summary: "Delete a response",
  method: "DELETE",
  paths: versionedPaths("/responses/{response_id}"),
  answers: { 200: { description: "The response was deleted.", schema: DeletedResponse }, ...responseFailures },

  async handle({ caller, params }, context) {
    const id = knownId(params.response_id);
    if (!(await storeOf(context).delete(actingFor(caller), id))) throw absent(id);
    return answerJson({ id, object: "response", deleted: true });
  },
};
