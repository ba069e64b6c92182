import { PageQueryParameters } from "@tollgate/contracts/assistants/assistant-fields.ts";
import { AssistantList, describeAssistant } from "@tollgate/contracts/assistants/assistant-object.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import type { KeyedOperation } from "../api-operation.ts";
import { assistantFailures, assistantRules } from "./assistant-rules.ts";
import { answerPage, readPage } from "./pages.ts";
import { storeOf } from "./store-of.ts";

/** Returns a page of the caller's assistants. */
export const listAssistants: KeyedOperation<PageQueryParameters> = {
  ...assistantRules,
  id: "listAssistants",
  summary: "List assistants",
  method: "GET",
  paths: versionedPaths("/assistants"),
  query: PageQueryParameters,
  answers: { 200: { description: "A page of assistants.", schema: AssistantList }, ...assistantFailures },

  async handle({ caller, query }, context) {
    return answerPage(await storeOf(context).listAssistants(actingFor(caller), readPage(query)), describeAssistant);
  },
};
