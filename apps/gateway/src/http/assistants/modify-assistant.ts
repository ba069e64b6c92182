import {
  AssistantObject,
  describeAssistant,
  ModifyAssistantRequest,
} from "@tollgate/contracts/assistants/assistant-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { answerJson, type KeyedOperation } from "../edge/api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { found, knownId } from "./known-id.ts";
import { actingFor } from "./owner-context-of.ts";
import { readChange } from "./read-assistant.ts";
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
