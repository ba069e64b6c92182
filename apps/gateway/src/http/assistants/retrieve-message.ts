import { describeMessage, MessageObject } from "@tollgate/contracts/assistants/message-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Retrieves one message from a thread. */
export const retrieveMessage: KeyedOperation = {
  ...assistantRules,
  id: "retrieveMessage",
  summary: "Retrieve a message",
  method: "GET",
  paths: versionedPaths("/threads/{thread_id}/messages/{message_id}"),
  answers: { 200: { description: "The message.", schema: MessageObject }, ...assistantFailures },

  async handle({ caller, params }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const id = knownId(params.message_id, "message");
    const message = await storeOf(context).findMessage(actingFor(caller), threadId, id);
    return answerJson(describeMessage(found(message, "message", id)));
  },
};
