import { CreateThreadAndRunRequest, describeRun } from "@tollgate/contracts/assistants/run-object.ts";
import { describeThread } from "@tollgate/contracts/assistants/thread-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import type { Json } from "@tollgate/domain/assistants/records.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { readMessage } from "../../assistants/read-message.ts";
import { readThread } from "../../assistants/read-thread.ts";
import { createdRun } from "../../assistants/run-refusals.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { prepareRun } from "./prepare-run.ts";
import { runOrEvents } from "./run-or-events.ts";
import { storeOf } from "./store-of.ts";
import { runEvent, streamRun } from "./stream-run.ts";
import { withListener } from "./with-listener.ts";

/** Creates a thread and runs an assistant in it. */
export const createThreadAndRun: KeyedOperation<unknown, CreateThreadAndRunRequest> = {
  ...assistantRules,
  id: "createThreadAndRun",
  summary: "Create a thread and run an assistant in it",
  method: "POST",
  paths: versionedPaths("/threads/runs"),
  bodyLimitBytes: bodyLimits.run,
  body: CreateThreadAndRunRequest,
  answers: { 200: runOrEvents, ...assistantFailures },

  async handle({ caller, body, callId, docsUrl }, context) {
    const store = storeOf(context);
    const acting = actingFor(caller);
    // Validate everything first, so that a rejected request does not leave a thread whose ID the client never receives.
    const prepared = await prepareRun({ caller, acting, store, body }, context);
    const nowMs = context.wallClock();
    const fields = readThread(body.thread ?? {});
    const messages = (body.thread?.messages ?? []).map((message) => readMessage(message, nowMs));
    return withListener(context, caller, prepared.isStreamed, async (onEnd) => {
      const thread = await store.createThread(acting, fields, messages);
      const run = await store
        .createRun(acting, thread.id, prepared)
        .then((created) => createdRun(created, thread.id, caller))
        .catch(async (refusal: unknown) => {
          await store.deleteThread(acting, thread.id);
          throw refusal;
        });
      if (!prepared.isStreamed) return answerJson(describeRun(run));
      const threadCreated = { event: "thread.created", data: describeThread(thread) as unknown as Json };
      const first = [threadCreated, runEvent(run, "created"), runEvent(run, "queued")];
      const place = { requestId: callId, docsUrl };
      return streamRun({ store, acting, run, first, afterNumber: 0, place, onEnd }, context);
    });
  },
};
