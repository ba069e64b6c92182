import type { Deployment } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";

/** Reports whether the gateway reads the response of a call to the end after the client has disconnected. */
export function finishesOnDisconnect({ onDisconnect }: Deployment, { isStream }: Call): boolean {
  return onDisconnect === "finish" || (onDisconnect === "abort_streams" && !isStream);
}
