import { CreateThreadRequest, describeThread, ThreadObject } from "@tollgate/contracts/assistants/thread-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { answerJson, type KeyedOperation } from "../edge/api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { actingFor } from "./owner-context-of.ts";
import { readMessage } from "./read-message.ts";
import { readThread } from "./read-thread.ts";
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
