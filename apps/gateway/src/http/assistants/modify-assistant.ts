import {
  AssistantObject,
  describeAssistant,
  ModifyAssistantRequest,
} from "@tollgate/contracts/assistants/assistant-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { readChange } from "../../assistants/read-assistant.ts";
import { requireModelAccess } from "../../assistants/require-model-access.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { findChangeable } from "./find-changeable.ts";
import { storeOf } from "./store-of.ts";

/**
 * Updates an assistant with the fields in the body. The caller must be able to use its model, before and after the
 * change. Existing runs keep their original settings.
 */
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
    const store = storeOf(context);
    await findChangeable(store, context, caller, id);
    const change = readChange(body);
    if (change.model !== undefined) {
      requireModelAccess(context.current().models, caller, change.model, "The changed assistant");
    }
    const assistant = await store.changeAssistant(actingFor(caller), id, change);
    return answerJson(describeAssistant(found(assistant, "assistant", id)));
  },
};
