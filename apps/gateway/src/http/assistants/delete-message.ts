import { DeletedMessage } from "@tollgate/contracts/assistants/message-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { absent, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Deletes a message from its thread. */
export const deleteMessage: KeyedOperation = {
  ...assistantRules,
  id: "deleteMessage",
  summary: "Delete a message",
  method: "DELETE",
  paths: versionedPaths("/threads/{thread_id}/messages/{message_id}"),
  answers: { 200: { description: "The message was deleted.", schema: DeletedMessage }, ...assistantFailures },

  async handle({ caller, params }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const id = knownId(params.message_id, "message");
    if (!(await storeOf(context).deleteMessage(actingFor(caller), threadId, id))) throw absent("message", id);
    return answerJson({ id, object: "thread.message.deleted", deleted: true });
  },
};
