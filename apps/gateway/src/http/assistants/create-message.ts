import { CreateMessageRequest, describeMessage, MessageObject } from "@tollgate/contracts/assistants/message-object.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { absent, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { readMessage } from "../../assistants/read-message.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Adds a message to a thread that has no active run. */
export const createMessage: KeyedOperation<unknown, CreateMessageRequest> = {
  ...assistantRules,
  id: "createMessage",
  summary: "Add a message to a thread",
  method: "POST",
  paths: versionedPaths("/threads/{thread_id}/messages"),
  bodyLimitBytes: bodyLimits.message,
  body: CreateMessageRequest,
  answers: { 200: { description: "The message.", schema: MessageObject }, ...assistantFailures },

  async handle({ caller, params, body }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const message = readMessage(body, context.wallClock());
    const added = await storeOf(context).addMessage(actingFor(caller), threadId, message);
    switch (added.kind) {
      case "added":
        return answerJson(describeMessage(added.message));
      case "no_thread":
        throw absent("thread", threadId);
      case "busy":
        throw new Failure(
          "invalid_request",
          `Messages cannot be added to thread '${threadId}' while its run '${added.runId}' is active.`,
        );
      case "full":
        throw new Failure("invalid_request", `Thread '${threadId}' has reached the maximum number of messages.`);
    }
  },
};
