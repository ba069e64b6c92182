import type { CreateRunRequest, CreateThreadAndRunRequest } from "@tollgate/contracts/assistants/run-object.ts";
import type { AssistantStore, NewRun, OwnerContext, QueueLimits } from "../../assistants/assistant-store.ts";
import { effectiveRun } from "../../assistants/effective-run.ts";
import { found, knownId } from "../../assistants/known-id.ts";
import type { Caller } from "../../call/caller.ts";
import type { ApiContext } from "../api-context.ts";

interface PrepareRunInput {
  readonly caller: Caller;
  readonly acting: OwnerContext;
  readonly store: AssistantStore;
  readonly body: CreateThreadAndRunRequest & Pick<CreateRunRequest, "additional_instructions">;
}

/**
 * Builds a run from a request, without messages. Rejects an unknown assistant or a model that the caller cannot use.
 */
export async function prepareRun(
  { caller, acting, store, body }: PrepareRunInput,
  context: ApiContext,
): Promise<NewRun> {
  const id = knownId(body.assistant_id, "assistant");
  const assistant = found(await store.findAssistant(acting, id), "assistant", id);
  const fields = effectiveRun(assistant, body);
  context.current().models.find(caller, fields.model);
  const queueLimits = queueLimitsOf(context);
  return { assistantId: assistant.id, fields, messages: [], isStreamed: body.stream === true, queueLimits };
}

export function queueLimitsOf({ current }: ApiContext): QueueLimits {
  const { queuedRunsPerKey, queuedRunsPerOrganization } = current().settings.assistants;
  return { perKey: queuedRunsPerKey, perOrganization: queuedRunsPerOrganization };
}
