import { Failure } from "@tollgate/contracts/failures.ts";
import type { Transport } from "../../call/provider.ts";
import { type Obtained, RenewedCredential } from "../credentials/renewed-credential.ts";
import { fetchFromUpstream } from "../fetch-from-upstream.ts";
import type { GoogleCredentials } from "./google-credentials.ts";

const ASK_LIMIT_MS = 10_000;
/** Lifetime of a token whose response doesn't state one. */
const DEFAULT_LIFETIME_MS = 10 * 60_000;

/** Returns the access tokens of one account. `connections` are the connections to the token endpoint. */
export function googleTokens(
  credentials: GoogleCredentials,
  connections: Transport,
  now: () => number = Date.now,
): RenewedCredential<string> {
  return new RenewedCredential(() => askForToken(credentials, connections, now()), now);
}

async function askForToken(
  credentials: GoogleCredentials,
  connections: Transport,
  nowMs: number,
): Promise<Obtained<string>> {
  const { pathname, search } = credentials.tokenAddress;
  const headers = ["content-type", "application/x-www-form-urlencoded", "accept-encoding", "identity"];
  const body = Buffer.from(formOf(credentials, nowMs), "utf8");
  const request = { path: pathname + search, headers, body };
  const { status, text } = await fetchFromUpstream(connections, request, ASK_LIMIT_MS);
  if (status >= 400 && status < 500 && status !== 429) throw rejected(`the token endpoint returned ${status}`);
  if (status !== 200) throw unavailable(status);
  const { access_token: token, expires_in: seconds } = parse(text);
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) throw unavailable(status);
  const lifetimeMs = typeof seconds === "number" && seconds > 0 ? seconds * 1_000 : DEFAULT_LIFETIME_MS;
  return { value: token, lifetimeMs };
}

function formOf(credentials: GoogleCredentials, nowMs: number): string {
  try {
    return credentials.tokenRequest(nowMs);
  } catch {
    // Details about the private key must never be displayed or logged.
    throw rejected("the Google credentials cannot be used");
  }
}

/** Creates the failure for a rejected operator credential. Another deployment may have a valid credential. */
export function rejected(problem: string): Failure {
  return new Failure("internal_error", "upstream credential rejected", { detail: { isCredential: true, problem } });
}

function unavailable(upstreamStatus: number): Failure {
  return new Failure("service_unavailable", "The model is temporarily unavailable.", {
    detail: { upstreamStatus, problem: "could not get an access token" },
  });
}

function parse(text: string): { readonly access_token?: unknown; readonly expires_in?: unknown } {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" && answer !== null ? answer : {};
  } catch {
    return {};
  }
}
