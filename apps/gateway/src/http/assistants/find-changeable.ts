import type { Assistant } from "@tollgate/domain/assistants/records.ts";
import type { AssistantStore } from "../../assistants/assistant-store.ts";
import { found } from "../../assistants/known-id.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import { requireModelAccess } from "../../assistants/require-model-access.ts";
import type { Caller } from "../../call/caller.ts";
import type { ApiContext } from "../api-context.ts";

/**
 * Returns an assistant that the caller can change. A key that cannot use an assistant's model must not decide the
 * requests that its teammates make and pay for.
 */
export async function findChangeable(
  store: AssistantStore,
  context: ApiContext,
  caller: Caller,
  id: string,
): Promise<Assistant> {
  const assistant = found(await store.findAssistant(actingFor(caller), id), "assistant", id);
  requireModelAccess(context.current().models, caller, assistant.fields.model, `Assistant '${id}'`);
  return assistant;
}
