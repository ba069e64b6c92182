import { Failure } from "@tollgate/contracts/failures.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { ResponseObject } from "@tollgate/contracts/responses/response-object.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import type { KeyedOperation } from "../api-operation.ts";
import { absent, knownId, responseFailures, responseRules, storeOf } from "./response-rules.ts";

/** Rejects every cancellation. A stored response is always complete, because responses don't run in the background. */
export const cancelResponse: KeyedOperation = {
  ...responseRules,
  id: "cancelResponse",
  summary: "Cancel a response",
  method: "POST",
  paths: versionedPaths("/responses/{response_id}/cancel"),
  answers: { 200: { description: "The response.", schema: ResponseObject }, ...responseFailures },

  async handle({ caller, params }, context) {
    const id = knownId(params.response_id);
    if ((await storeOf(context).find(actingFor(caller), id)) === null) throw absent(id);
    throw new Failure("invalid_request", "Only background responses can be canceled.", {
      fix: "To stop a response in progress, close its connection.",
    });
  },
};
