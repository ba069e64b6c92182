import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ParticipantFailure } from "../participant-failure.ts";
import { isLoopback } from "./loopback.ts";

const WINDOW_MS = 60_000;
const MAX_FAILURES = 10;
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  readonly since: number;
}

/**
 * Admits callers with a token. If no token is configured, admits only programs on this machine and rejects browser
 * requests from non-local pages.
 */
export class Authorizer {
  readonly #tokenHashes: readonly Buffer[];
  readonly #insecure: boolean;
  readonly #failures = new Map<string, Failures>();

  constructor(tokenHashes: readonly Buffer[], insecure: boolean) {
    this.#tokenHashes = tokenHashes;
    this.#insecure = insecure;
  }

  /** Throws UNAUTHORIZED, or TOO_MANY_ATTEMPTS once an address has failed ten times in a minute. */
  check(request: IncomingMessage): void {
    if (this.#tokenHashes.length === 0) return this.#checkOpen(request);
    if (this.#hasToken(request.headers.authorization)) return;
    const waitMs = this.#countFailure(request.socket.remoteAddress ?? "");
    if (waitMs === undefined) throw unauthorized();
    throw new ParticipantFailure("TOO_MANY_ATTEMPTS", "too many failed attempts from this IP address", {
      headers: { "retry-after": String(Math.ceil(waitMs / 1000)) },
    });
  }

  /**
   * If no token is configured, also rejects requests to a public address, in case the handler is mounted on a public
   * server.
   */
  #checkOpen(request: IncomingMessage): void {
    if (this.#insecure) return;
    const { localAddress } = request.socket;
    if (localAddress !== undefined && !isLoopback(localAddress.replace(/^::ffff:/, ""))) throw unauthorized();
    const { origin } = request.headers;
    if (origin !== undefined && !isLoopback(URL.parse(origin)?.hostname ?? "")) throw unauthorized();
  }

  /** Compares against every token in constant time, so that timing reveals nothing about the tokens. */
  #hasToken(header: string | undefined): boolean {
    const token = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
    if (token === undefined) return false;
    const hash = createHash("sha256").update(token).digest();
    return this.#tokenHashes.reduce((isKnown, known) => timingSafeEqual(known, hash) || isKnown, false);
  }

  /** Counts a failed attempt. Returns the time to wait once the address has failed too often. */
  #countFailure(address: string): number | undefined {
    const now = performance.now();
    let failures = this.#failures.get(address);
    if (failures === undefined || now - failures.since > WINDOW_MS) {
      this.#failures.delete(address);
      failures = { count: 0, since: now };
      this.#failures.set(address, failures);
      const oldest = this.#failures.keys().next().value;
      if (this.#failures.size > MAX_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest);
    }
    failures.count += 1;
    return failures.count > MAX_FAILURES ? failures.since + WINDOW_MS - now : undefined;
  }
}

function unauthorized(): ParticipantFailure {
  return new ParticipantFailure("UNAUTHORIZED", "the token is missing or wrong", {
    headers: { "www-authenticate": "Bearer" },
  });
}
