import { describeRun, RunObject } from "@tollgate/contracts/assistants/run-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { isOpen } from "@tollgate/domain/assistants/run-machine.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Suggested polling interval. Without this header, OpenAI's own clients wait several seconds between requests. */
const LOOK_AGAIN = { "openai-poll-after-ms": "500" };

/** Retrieves a run. */
export const retrieveRun: KeyedOperation = {
  ...assistantRules,
  id: "retrieveRun",
  summary: "Retrieve a run",
  method: "GET",
  paths: versionedPaths("/threads/{thread_id}/runs/{run_id}"),
  answers: { 200: { description: "The run.", schema: RunObject }, ...assistantFailures },

  async handle({ caller, params }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const id = knownId(params.run_id, "run");
    const run = found(await storeOf(context).findRun(actingFor(caller), threadId, id), "run", id);
    const answer = answerJson(describeRun(run));
    const isAwaited = isOpen(run.state.status) && run.state.status !== "requires_action";
    return isAwaited ? { ...answer, headers: { ...answer.headers, ...LOOK_AGAIN } } : answer;
  },
};
