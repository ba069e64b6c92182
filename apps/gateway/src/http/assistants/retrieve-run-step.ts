import { describeStep, StepObject } from "@tollgate/contracts/assistants/step-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Retrieves one step of a run. */
export const retrieveRunStep: KeyedOperation = {
  ...assistantRules,
  id: "retrieveRunStep",
  summary: "Retrieve a run step",
  method: "GET",
  paths: versionedPaths("/threads/{thread_id}/runs/{run_id}/steps/{step_id}"),
  answers: { 200: { description: "The step.", schema: StepObject }, ...assistantFailures },

  async handle({ caller, params }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const runId = knownId(params.run_id, "run");
    const id = knownId(params.step_id, "step");
    const step = await storeOf(context).findStep(actingFor(caller), threadId, runId, id);
    return answerJson(describeStep(found(step, "step", id)));
  },
};
