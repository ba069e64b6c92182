import { Failure } from "@tollgate/contracts/failures.ts";
import { findRefusingList } from "@tollgate/domain/routing/model-permission.ts";
import type { Caller } from "../call/caller.ts";
import type { ModelLookup } from "../models/model-lookup.ts";

/**
 * Throws unless the caller's model lists cover the model of an assistant or of a run. `subject` names the record in the
 * message. A model that was removed from the settings is covered if the lists name it, so that its assistants can still
 * be changed.
 */
export function requireModelAccess(
  models: Pick<ModelLookup, "find">,
  caller: Caller,
  model: string,
  subject: string,
): void {
  try {
    models.find(caller, model);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isCovered = findRefusingList(caller.models, { names: [model], accessGroups: [] }) === null;
    if (error.code === "model_not_found" && isCovered) return;
    throw new Failure(error.code, `${subject} uses model '${model}', which this key cannot use.`, {
      ...error.facts,
      fix: "Use a key whose model list includes the model, or ask an administrator for access.",
    });
  }
}
