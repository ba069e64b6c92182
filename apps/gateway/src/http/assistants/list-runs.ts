import { PageQueryParameters } from "@tollgate/contracts/assistants/assistant-fields.ts";
import { describeRun, RunList } from "@tollgate/contracts/assistants/run-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import type { KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { answerPage, readPage } from "./pages.ts";
import { storeOf } from "./store-of.ts";

/** Lists the runs of a thread, newest first. */
export const listRuns: KeyedOperation<PageQueryParameters> = {
  ...assistantRules,
  id: "listRuns",
  summary: "List a thread's runs",
  method: "GET",
  paths: versionedPaths("/threads/{thread_id}/runs"),
  query: PageQueryParameters,
  answers: { 200: { description: "A page of runs.", schema: RunList }, ...assistantFailures },

  async handle({ caller, params, query }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const listed = await storeOf(context).listRuns(actingFor(caller), threadId, readPage(query));
    return answerPage(found(listed, "thread", threadId), describeRun);
  },
};
