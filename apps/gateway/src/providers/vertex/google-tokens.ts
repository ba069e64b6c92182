import { Failure } from "@tollgate/contracts/failures.ts";
import type { Transport } from "../../call/provider.ts";
import { fetchFromUpstream } from "../fetch-from-upstream.ts";
import type { GoogleCredentials } from "./google-credentials.ts";

const ASK_LIMIT_MS = 10_000;
/** Remaining lifetime at which a token is renewed while it is still valid. */
const RENEW_BEFORE_MS = 5 * 60_000;
/**
 * Remaining lifetime at which a token is no longer sent, because it must still be valid when the provider receives it.
 */
const LAST_USE_MS = 10_000;
/** Delay before the next attempt after a failed renewal, while the token is still valid. */
const RETRY_MS = 10_000;

/**
 * Access tokens for one account. The current token is renewed before it expires, and all waiting calls share one token
 * request.
 */
export class GoogleTokens {
  readonly #credentials: GoogleCredentials;
  readonly #connections: Transport;
  readonly #now: () => number;
  #token = "";
  #endsAtMs = 0;
  #renewAtMs = 0;
  #asking: Promise<string> | null = null;

  /** `connections` are the connections to the token endpoint. */
  constructor(credentials: GoogleCredentials, connections: Transport, now: () => number = Date.now) {
    this.#credentials = credentials;
    this.#connections = connections;
    this.#now = now;
  }

  /** Returns the current token, or null if the caller must wait for a new token. */
  current(): string | null {
    const nowMs = this.#now();
    if (nowMs >= this.#endsAtMs - LAST_USE_MS) return null;
    // A failed background renewal is ignored. Only calls that arrive after the token has expired receive the error.
    if (nowMs >= this.#renewAtMs) this.next().catch(() => {});
    return this.#token;
  }

  /** Returns a new token. Throws a `Failure` if no token can be obtained. */
  next(): Promise<string> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** Discards a token that the provider rejected before it expired. */
  forget(token: string): void {
    if (this.#token === token) this.#endsAtMs = 0;
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #ask(): Promise<string> {
    this.#renewAtMs = this.#now() + RETRY_MS;
    const { pathname, search } = this.#credentials.tokenAddress;
    const headers = ["content-type", "application/x-www-form-urlencoded", "accept-encoding", "identity"];
    const request = { path: pathname + search, headers, body: Buffer.from(this.#form(), "utf8") };
    const { status, text } = await fetchFromUpstream(this.#connections, request, ASK_LIMIT_MS);
    if (status >= 400 && status < 500 && status !== 429) throw rejected(`the token endpoint returned ${status}`);
    if (status !== 200) throw unavailable(status);
    const { access_token: token, expires_in: seconds } = parse(text);
    if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) throw unavailable(status);
    const lifetimeMs = typeof seconds === "number" && seconds > 0 ? seconds * 1_000 : RENEW_BEFORE_MS * 2;
    this.#token = token;
    this.#endsAtMs = this.#now() + lifetimeMs;
    this.#renewAtMs = this.#endsAtMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 2);
    return token;
  }

  #form(): string {
    try {
      return this.#credentials.tokenRequest(this.#now());
    } catch {
      // Details about the private key must never be displayed or logged.
      throw rejected("the Google credentials cannot be used");
    }
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
