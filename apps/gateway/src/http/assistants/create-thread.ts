import { CreateThreadRequest, describeThread, ThreadObject } from "@tollgate/contracts/assistants/thread-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { readMessage } from "../../assistants/read-message.ts";
import { readThread } from "../../assistants/read-thread.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Creates a thread with its initial messages. */
export const createThread: KeyedOperation<unknown, CreateThreadRequest> = {
  ...assistantRules,
  id: "createThread",
  summary: "Create a thread",
  method: "POST",
  paths: versionedPaths("/threads"),
  bodyLimitBytes: bodyLimits.thread,
  body: CreateThreadRequest,
  isBodyOptional: true,
  answers: { 200: { description: "The thread.", schema: ThreadObject }, ...assistantFailures },

  async handle({ caller, body }, context) {
    const nowMs = context.wallClock();
    const messages = (body.messages ?? []).map((message) => readMessage(message, nowMs));
    const thread = await storeOf(context).createThread(actingFor(caller), readThread(body), messages);
    return answerJson(describeThread(thread));
  },
};
