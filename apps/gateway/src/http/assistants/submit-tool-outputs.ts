import { describeRun, SubmitToolOutputsRequest } from "@tollgate/contracts/assistants/run-object.ts";
import { describeStep } from "@tollgate/contracts/assistants/step-object.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import type { Json, Run, RunEvent } from "@tollgate/domain/assistants/records.ts";
import type { AssistantStore, OwnerContext, ToolOutput } from "../../assistants/assistant-store.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { requireModelAccess } from "../../assistants/require-model-access.ts";
import { submittedRun } from "../../assistants/run-refusals.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { queueLimitsOf } from "./prepare-run.ts";
import { runOrEvents } from "./run-or-events.ts";
import { storeOf } from "./store-of.ts";
import { runEvent, streamRun } from "./stream-run.ts";
import { withListener } from "./with-listener.ts";

/**
 * Submits the outputs of all pending tool calls in one request and resumes the run. The caller must be able to use the
 * model, because the next turns are requests of its key.
 */
export const submitToolOutputs: KeyedOperation<unknown, SubmitToolOutputsRequest> = {
  ...assistantRules,
  id: "submitToolOutputs",
  summary: "Submit tool outputs",
  method: "POST",
  paths: versionedPaths("/threads/{thread_id}/runs/{run_id}/submit_tool_outputs"),
  bodyLimitBytes: bodyLimits.run,
  body: SubmitToolOutputsRequest,
  answers: { 200: runOrEvents, ...assistantFailures },

  async handle({ caller, params, body, callId, docsUrl }, context) {
    const store = storeOf(context);
    const acting = actingFor(caller);
    const threadId = knownId(params.thread_id, "thread");
    const id = knownId(params.run_id, "run");
    const isStreamed = body.stream === true;
    const outputs = readOutputs(body);
    const { fields } = found(await store.findRun(acting, threadId, id), "run", id);
    requireModelAccess(context.current().models, caller, fields.model, `Run '${id}'`);
    return withListener(context, caller, isStreamed, async (onEnd) => {
      // Read the last event number before the run can resume, so that no later event is missed.
      const afterNumber = isStreamed ? await store.lastEventNumber(acting, id) : 0;
      const submission = { outputs, isStreamed, queueLimits: queueLimitsOf(context) };
      const run = submittedRun(await store.submitOutputs(acting, threadId, id, submission), id, caller);
      if (!isStreamed) return answerJson(describeRun(run));
      const first = [...(await completedStep(store, acting, run)), runEvent(run, "queued")];
      const place = { requestId: callId, docsUrl };
      return streamRun({ store, acting, run, first, afterNumber, place, onEnd }, context);
    });
  },
};

function readOutputs({ tool_outputs }: SubmitToolOutputsRequest): readonly ToolOutput[] {
  const outputs = tool_outputs.map(({ tool_call_id, output }) => ({ toolCallId: tool_call_id, output: output ?? "" }));
  if (new Set(outputs.map(({ toolCallId }) => toolCallId)).size < outputs.length) {
    throw new Failure("invalid_request", "`tool_outputs` must contain one output per tool call.", {
      param: "tool_outputs",
    });
  }
  return outputs;
}

/** Returns the completed step as the stream's first event. A fast worker may already have created another step. */
async function completedStep(store: AssistantStore, acting: OwnerContext, run: Run): Promise<readonly RunEvent[]> {
  const newest = await store.listSteps(acting, run.threadId, run.id, { limit: 2, order: "desc" });
  if (newest === null || newest === "unknown_cursor") return [];
  const step = newest.items.find(({ fields }) => fields.details.type === "tool_calls" && fields.status === "completed");
  return step === undefined
    ? []
    : [{ event: "thread.run.step.completed", data: describeStep(step) as unknown as Json }];
}
