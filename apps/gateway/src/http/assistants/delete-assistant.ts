import { DeletedAssistant } from "@tollgate/contracts/assistants/assistant-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { absent, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { findChangeable } from "./find-changeable.ts";
import { storeOf } from "./store-of.ts";

/** Deletes an assistant whose model the caller can use. Threads and runs that used it are not deleted. */
export const deleteAssistant: KeyedOperation = {
  ...assistantRules,
  id: "deleteAssistant",
  summary: "Delete an assistant",
  method: "DELETE",
  paths: versionedPaths("/assistants/{assistant_id}"),
  answers: { 200: { description: "The assistant was deleted.", schema: DeletedAssistant }, ...assistantFailures },

  async handle({ caller, params }, context) {
    const id = knownId(params.assistant_id, "assistant");
    const store = storeOf(context);
    await findChangeable(store, context, caller, id);
    if (!(await store.deleteAssistant(actingFor(caller), id))) throw absent("assistant", id);
    return answerJson({ id, object: "assistant.deleted", deleted: true });
  },
};
