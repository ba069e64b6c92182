import { describeMessage, MessageObject, ModifyMessageRequest } from "@tollgate/contracts/assistants/message-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Updates a message's metadata. The content cannot be changed. */
export const modifyMessage: KeyedOperation<unknown, ModifyMessageRequest> = {
  ...assistantRules,
  id: "modifyMessage",
  summary: "Modify a message",
  method: "POST",
  paths: versionedPaths("/threads/{thread_id}/messages/{message_id}"),
  body: ModifyMessageRequest,
  isBodyOptional: true,
  answers: { 200: { description: "The message.", schema: MessageObject }, ...assistantFailures },

  async handle({ caller, params, body }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const id = knownId(params.message_id, "message");
    const acting = actingFor(caller);
    const store = storeOf(context);
    const { metadata } = body;
    const message =
      metadata === undefined
        ? await store.findMessage(acting, threadId, id)
        : await store.changeMessage(acting, threadId, id, metadata ?? {});
    return answerJson(describeMessage(found(message, "message", id)));
  },
};
