import type { StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import type { AssistantsSettings, Settings } from "./settings.ts";
import { storageLimitsOf } from "./storage-limits.ts";

/** Limits of assistants runs and stored records. */
export interface AssistantLimits {
  readonly runs: Pick<
    AssistantsSettings,
    "queuedRunsPerKey" | "queuedRunsPerOrganization" | "listenersPerKey" | "listenersPerOrganization"
  >;
  readonly storage: StorageLimits;
}

export function assistantLimitsOf(settings: Pick<Settings, "assistants" | "billing">): AssistantLimits {
  return { runs: settings.assistants, storage: storageLimitsOf(settings) };
}
