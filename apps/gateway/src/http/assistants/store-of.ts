import { Failure } from "@tollgate/contracts/failures.ts";
import type { AssistantStore } from "../../assistants/assistant-store.ts";
import type { ApiContext } from "../api-context.ts";

/** Returns the store, or throws if this instance cannot store records. */
export function storeOf({ assistants }: ApiContext): AssistantStore {
  if (assistants !== null) return assistants;
  throw new Failure(
    "assistants_unavailable",
    "Assistants require a database and TOLLGATE_SECRET_KEY, which encrypts them.",
    {
      fix: "Set both and restart. To generate a key, run `openssl rand -hex 32`.",
    },
  );
}
