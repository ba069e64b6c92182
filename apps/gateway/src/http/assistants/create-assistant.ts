import {
  AssistantObject,
  CreateAssistantRequest,
  describeAssistant,
} from "@tollgate/contracts/assistants/assistant-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { readAssistant } from "../../assistants/read-assistant.ts";
import { requireModelAccess } from "../../assistants/require-model-access.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules, bodyLimits } from "./assistant-rules.ts";
import { storeOf } from "./store-of.ts";

/** Creates an assistant with a model that the caller can use. */
export const createAssistant: KeyedOperation<unknown, CreateAssistantRequest> = {
  ...assistantRules,
  id: "createAssistant",
  summary: "Create an assistant",
  method: "POST",
  paths: versionedPaths("/assistants"),
  bodyLimitBytes: bodyLimits.assistant,
  body: CreateAssistantRequest,
  answers: { 200: { description: "The assistant.", schema: AssistantObject }, ...assistantFailures },

  async handle({ caller, body }, context) {
    const store = storeOf(context);
    requireModelAccess(context.current().models, caller, body.model, "The new assistant");
    const assistant = await store.createAssistant(actingFor(caller), readAssistant(body));
    return answerJson(describeAssistant(assistant));
  },
};
