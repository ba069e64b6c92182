import { AssistantObject, describeAssistant } from "@tollgate/contracts/assistants/assistant-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Retrieves an assistant by ID. */
export const retrieveAssistant: KeyedOperation = {
  ...assistantRules,
  id: "retrieveAssistant",
  summary: "Retrieve an assistant",
  method: "GET",
  paths: versionedPaths("/assistants/{assistant_id}"),
  answers: { 200: { description: "The assistant.", schema: AssistantObject }, ...assistantFailures },

  async handle({ caller, params }, context) {
    const id = knownId(params.assistant_id, "assistant");
    const assistant = await storeOf(context).findAssistant(actingFor(caller), id);
    return answerJson(describeAssistant(found(assistant, "assistant", id)));
  },
};
