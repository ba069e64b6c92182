import { describeThread, ModifyThreadRequest, ThreadObject } from "@tollgate/contracts/assistants/thread-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { readThreadChange } from "../../assistants/read-thread.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Updates a thread with the fields in the body. Messages are updated separately. */
export const modifyThread: KeyedOperation<unknown, ModifyThreadRequest> = {
  ...assistantRules,
  id: "modifyThread",
  summary: "Modify a thread",
  method: "POST",
  paths: versionedPaths("/threads/{thread_id}"),
  body: ModifyThreadRequest,
  isBodyOptional: true,
  answers: { 200: { description: "The thread.", schema: ThreadObject }, ...assistantFailures },

  async handle({ caller, params, body }, context) {
    const id = knownId(params.thread_id, "thread");
    const thread = await storeOf(context).changeThread(actingFor(caller), id, readThreadChange(body));
    return answerJson(describeThread(found(thread, "thread", id)));
  },
};
