import { PlatformClient } from "@tollgate/sdk/platform";
import { basePath } from "../base-path.ts";
import { type ReauthenticationRequest, requestReauthentication } from "./session-gate.ts";

const GATE_PATHS = /\/api\/auth\/(session|reauthenticate|sign-up|password)/;

/**
 * Sends a request with the session cookie, which scripts cannot read. If the session has expired or the action requires
 * the password, the user is prompted on the current page, and then the request is sent again.
 */
export async function sendWithSession(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-gw-csrf", "1");
  const send = () => fetch(input, { ...init, headers, credentials: "same-origin" });
  const answer = await send();
  if (GATE_PATHS.test(String(input)) || (answer.status !== 401 && answer.status !== 403)) return answer;
  const wanted = await gateOf(answer);
  return wanted !== null && (await requestReauthentication(wanted)) ? send() : answer;
}

/**
 * Returns the dialog to show for a refusal (sign-in or password confirmation); null if no dialog is needed. Refusals
 * relayed from the gateway concern an API key, so they need no dialog.
 */
async function gateOf(answer: Response): Promise<ReauthenticationRequest | null> {
  const body = (await answer
    .clone()
    .json()
    .catch(() => null)) as { code?: unknown; details?: { reason?: string } } | null;
  if (typeof body?.code !== "string") return null;
  if (answer.status === 401) return "sign_in";
  return body.details?.reason === "REAUTHENTICATION_REQUIRED" ? "password" : null;
}

/** The management API client for this server. */
export const client = new PlatformClient({ platformUrl: basePath, fetch: sendWithSession });
