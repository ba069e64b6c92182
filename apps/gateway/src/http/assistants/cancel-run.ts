import { describeRun, RunObject } from "@tollgate/contracts/assistants/run-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { cancelledRun } from "../../assistants/run-refusals.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Requests cancellation of a run. A run that is waiting for tool outputs ends immediately. */
export const cancelRun: KeyedOperation = {
  ...assistantRules,
  id: "cancelRun",
  summary: "Cancel a run",
  method: "POST",
  paths: versionedPaths("/threads/{thread_id}/runs/{run_id}/cancel"),
  answers: { 200: { description: "The run.", schema: RunObject }, ...assistantFailures },

  async handle({ caller, params }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const id = knownId(params.run_id, "run");
    return answerJson(describeRun(cancelledRun(await storeOf(context).cancelRun(actingFor(caller), threadId, id), id)));
  },
};
