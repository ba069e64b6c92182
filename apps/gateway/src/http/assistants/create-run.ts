import { CreateRunRequest, describeRun } from "@tollgate/contracts/assistants/run-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { readMessage } from "../../assistants/read-message.ts";
import { createdRun } from "../../assistants/run-refusals.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { prepareRun } from "./prepare-run.ts";
import { runOrEvents } from "./run-or-events.ts";
import { storeOf } from "./store-of.ts";
import { runEvent, streamRun } from "./stream-run.ts";
import { withListener } from "./with-listener.ts";

/** Runs an assistant in a thread. */
export const createRun: KeyedOperation<unknown, CreateRunRequest> = {
  ...assistantRules,
  id: "createRun",
  summary: "Run an assistant in a thread",
  method: "POST",
  paths: versionedPaths("/threads/{thread_id}/runs"),
  bodyLimitBytes: bodyLimits.run,
  body: CreateRunRequest,
  answers: { 200: runOrEvents, ...assistantFailures },

  async handle({ caller, params, body, callId, docsUrl }, context) {
    const store = storeOf(context);
    const acting = actingFor(caller);
    const threadId = knownId(params.thread_id, "thread");
    const prepared = await prepareRun({ caller, acting, store, body }, context);
    const nowMs = context.wallClock();
    const messages = (body.additional_messages ?? []).map((message) => readMessage(message, nowMs));
    return withListener(context, caller, prepared.isStreamed, async (onEnd) => {
      const created = await store.createRun(acting, threadId, { ...prepared, messages });
      const run = createdRun(created, threadId, caller);
      if (!prepared.isStreamed) return answerJson(describeRun(run));
      const first = [runEvent(run, "created"), runEvent(run, "queued")];
      const place = { requestId: callId, docsUrl };
      return streamRun({ store, acting, run, first, afterNumber: 0, place, onEnd }, context);
    });
  },
};
