import { PageQueryParameters } from "@tollgate/contracts/assistants/assistant-fields.ts";
import { describeStep, StepList } from "@tollgate/contracts/assistants/step-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import type { KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { answerPage, readPage } from "./pages.ts";
import { storeOf } from "./store-of.ts";

/** Lists the steps of a run, newest first. */
export const listRunSteps: KeyedOperation<PageQueryParameters> = {
  ...assistantRules,
  id: "listRunSteps",
  summary: "List run steps",
  method: "GET",
  paths: versionedPaths("/threads/{thread_id}/runs/{run_id}/steps"),
  query: PageQueryParameters,
  answers: { 200: { description: "A page of steps.", schema: StepList }, ...assistantFailures },

  async handle({ caller, params, query }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const runId = knownId(params.run_id, "run");
    const listed = await storeOf(context).listSteps(actingFor(caller), threadId, runId, readPage(query));
    return answerPage(found(listed, "run", runId), describeStep);
  },
};
