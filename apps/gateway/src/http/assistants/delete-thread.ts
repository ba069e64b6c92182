import { DeletedThread } from "@tollgate/contracts/assistants/thread-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { absent, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Deletes a thread with its messages and runs. */
export const deleteThread: KeyedOperation = {
  ...assistantRules,
  id: "deleteThread",
  summary: "Delete a thread",
  method: "DELETE",
  paths: versionedPaths("/threads/{thread_id}"),
  answers: { 200: { description: "The thread was deleted.", schema: DeletedThread }, ...assistantFailures },

  async handle({ caller, params }, context) {
    const id = knownId(params.thread_id, "thread");
    if (!(await storeOf(context).deleteThread(actingFor(caller), id))) throw absent("thread", id);
    return answerJson({ id, object: "thread.deleted", deleted: true });
  },
};
