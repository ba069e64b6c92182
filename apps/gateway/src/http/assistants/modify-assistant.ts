import {
  AssistantObject,
  describeAssistant,
  ModifyAssistantRequest,
} from "@tollgate/contracts/assistants/assistant-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { readChange } from "../../assistants/read-assistant.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Updates an assistant with the fields in the body. Existing runs keep their original settings. */
export const modifyAssistant: KeyedOperation<unknown, ModifyAssistantRequest> = {
  ...assistantRules,
  id: "modifyAssistant",
  summary: "Modify an assistant",
  method: "POST",
  paths: versionedPaths("/assistants/{assistant_id}"),
  bodyLimitBytes: bodyLimits.assistant,
  body: ModifyAssistantRequest,
  answers: { 200: { description: "The assistant.", schema: AssistantObject }, ...assistantFailures },

  async handle({ caller, params, body }, context) {
    const id = knownId(params.assistant_id, "assistant");
    const assistant = await storeOf(context).changeAssistant(actingFor(caller), id, readChange(body));
    return answerJson(describeAssistant(found(assistant, "assistant", id)));
  },
};
