import { describeThread, ThreadObject } from "@tollgate/contracts/assistants/thread-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Retrieves a thread by ID. */
export const retrieveThread: KeyedOperation = {
  ...assistantRules,
  id: "retrieveThread",
  summary: "Retrieve a thread",
  method: "GET",
  paths: versionedPaths("/threads/{thread_id}"),
  answers: { 200: { description: "The thread.", schema: ThreadObject }, ...assistantFailures },

  async handle({ caller, params }, context) {
    const id = knownId(params.thread_id, "thread");
    return answerJson(describeThread(found(await storeOf(context).findThread(actingFor(caller), id), "thread", id)));
  },
};
