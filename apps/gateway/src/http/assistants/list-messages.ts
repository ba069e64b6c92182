import { describeMessage, MessageList, MessageQueryParameters } from "@tollgate/contracts/assistants/message-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import type { KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { answerPage, readPage } from "./pages.ts";
import { storeOf } from "./store-of.ts";

/** Returns a page of messages from a thread or one of its runs. */
export const listMessages: KeyedOperation<MessageQueryParameters> = {
  ...assistantRules,
  id: "listMessages",
  summary: "List messages in a thread",
  method: "GET",
  paths: versionedPaths("/threads/{thread_id}/messages"),
  query: MessageQueryParameters,
  answers: { 200: { description: "A page of messages.", schema: MessageList }, ...assistantFailures },

  async handle({ caller, params, query }, context) {
    const threadId = knownId(params.thread_id, "thread");
    const runId = query.run_id ? { runId: knownId(query.run_id, "run") } : {};
    const listed = await storeOf(context).listMessages(actingFor(caller), threadId, { ...readPage(query), ...runId });
    return answerPage(found(listed, "thread", threadId), describeMessage);
  },
};
