import type { Deployment } from "../../model-list/deployment.ts";
import { NO_PARTS } from "../../operations/operation-kind.ts";
import type { Call } from "../call.ts";

/**
 * Reports whether the gateway reads the response of a call to the end after the client has disconnected. By default, it
 * aborts a stream only if it can count everything that the provider bills.
 */
export function finishesOnDisconnect({ onDisconnect }: Deployment, { isStream, parts }: Call): boolean {
  return onDisconnect === "finish" || (onDisconnect === "abort_streams" && (!isStream || parts !== NO_PARTS));
}
