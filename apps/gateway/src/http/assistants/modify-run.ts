import { describeRun, ModifyRunRequest, RunObject } from "@tollgate/contracts/assistants/run-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import type { Metadata } from "@tollgate/domain/assistants/records.ts";
import type { AssistantStore, OwnerContext } from "../../assistants/assistant-store.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Updates a run's metadata. Null clears it, and an absent field leaves it unchanged. */
export const modifyRun: KeyedOperation<unknown, ModifyRunRequest> = {
  ...assistantRules,
  id: "modifyRun",
  summary: "Modify a run's metadata",
  method: "POST",
  paths: versionedPaths("/threads/{thread_id}/runs/{run_id}"),
  body: ModifyRunRequest,
  answers: { 200: { description: "The run.", schema: RunObject }, ...assistantFailures },

  async handle({ caller, params, body }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const id = knownId(params.run_id, "run");
    const run = await change(storeOf(context), actingFor(caller), threadId, id, body.metadata);
    return answerJson(describeRun(found(run, "run", id)));
  },
};

function change(
  store: AssistantStore,
  acting: OwnerContext,
  threadId: string,
  id: string,
  metadata: Metadata | null | undefined,
) {
  if (metadata === undefined) return store.findRun(acting, threadId, id);
  return store.changeRunMetadata(acting, threadId, id, metadata ?? {});
}
