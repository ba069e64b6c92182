import { hash } from "node:crypto";
import type { Socket } from "node:net";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { isWellFormedKey } from "@tollgate/domain/api-keys.ts";
import { type Caller, isMaster } from "../call/caller.ts";
import type { Exchange, HashedKey } from "../call/exchange.ts";
import type { KeyCarriers } from "../call/request-headers.ts";

/** Looks up keys by their SHA-256 hash in hex. */
export interface KeyDirectory {
  /** Returns the cached caller, or undefined if it must be looked up. */
  recall(digest: string): Caller | null | undefined;
  /** Returns the caller from the cache or from the database. */
  find(digest: string): Caller | null | Promise<Caller | null>;
}

const carriers = ["x-gw-api-key", "authorization", "x-api-key", "api-key"] as const satisfies (keyof KeyCarriers)[];

/** Authenticates the key in the first accepted header that is present. Never reads the body. */
export function authenticate(
  keys: KeyCarriers,
  accepted: readonly string[],
  directory: KeyDirectory,
  nowMs: number,
  lastKey: HashedKey = { text: "", digest: "" },
): Caller | Promise<Caller> {
  const key = readKey(keys, accepted);
  // A client usually sends the same key in every request on a connection. Only the digest of the key is cached, never
  // its caller.
  if (lastKey.text !== key) {
    lastKey.digest = hash("sha256", key, "hex");
    lastKey.text = key;
  }
  const { digest } = lastKey;
  const known = directory.recall(digest);
  if (known !== undefined) return checkCaller(known, nowMs);
  // The checksum detects typos without a lookup. Cached keys skip the check, because they have already been looked up.
  if (!isWellFormedKey(key)) throw invalidKey();
  const found = directory.find(digest);
  return found instanceof Promise ? found.then((caller) => checkCaller(caller, nowMs)) : checkCaller(found, nowMs);
}

function readKey(keys: KeyCarriers, accepted: readonly string[]): string {
  for (const name of accepted) {
    const value = keys[name as keyof KeyCarriers];
    if (value !== null && value !== undefined && value !== "") return keyIn(name, value);
  }
  const isElsewhere = carriers.some((name) => keys[name] !== null && keys[name] !== "");
  const names = accepted.join(", ");
  if (isElsewhere) {
    throw new Failure("wrong_auth_header", `The API key is in a header that is not accepted. Send it in: ${names}.`);
  }
  throw new Failure("missing_api_key", `No API key was sent. Send it in one of these headers: ${names}.`);
}

function keyIn(header: string, value: string): string {
  const isBearer = value.length > 7 && value.slice(0, 7).toLowerCase() === "bearer ";
  if (header === "authorization") {
    if (!isBearer) throw new Failure("missing_api_key", "The Authorization header must have the form 'Bearer sk-…'.");
    return value.slice(7).trim();
  }
  return header === "x-gw-api-key" && isBearer ? value.slice(7).trim() : value;
}

/**
 * A failure of a key that is known, but disabled or expired. It has the caller, because the key may be evicted from the
 * cache before the request is logged.
 */
export class RefusedKey extends Failure {
  readonly caller: Caller;

  constructor(code: "expired_key" | "key_blocked", message: string, caller: Caller) {
    super(code, message);
    this.caller = caller;
  }
}

/** Returns the caller if the key is valid. Otherwise, throws a failure with the reason. */
function checkCaller(caller: Caller | null, nowMs: number): Caller {
  if (caller === null) throw invalidKey();
  if (caller.expiresAtMs !== null && caller.expiresAtMs <= nowMs) {
    throw new RefusedKey("expired_key", "This API key has expired. Create a new one or extend it.", caller);
  }
  if (caller.isDisabled) throw new RefusedKey("key_blocked", "This API key is disabled.", caller);
  return caller;
}

function invalidKey(): Failure {
  return new Failure("invalid_api_key", "Invalid API key.");
}

/**
 * Reads internal tokens. Other processes of this instance use them to make calls on behalf of a key without the key's
 * secret.
 */
export interface InternalCallers {
  /** Reports whether a connection between these addresses may use an internal token. */
  isInternal(peerAddress: string, ownAddress: string): boolean;
  /**
   * Returns the caller that a token identifies. Returns null if the token is invalid or expired, or has a different
   * purpose.
   */
  read(pass: string): Promise<InternalCaller | null>;
}

interface InternalCaller {
  /** The key's current record; null if the key was deleted. */
  readonly caller: Caller | null;
  /** Endpoint name under which the request is recorded. */
  readonly endpoint: string;
}

/** Purpose of a token with all permissions of its key. Tokens with other purposes allow only inference. */
export const RELAY = "platform.relay";

/** Purpose of a token that a worker uses for a run's calls. */
export const RUNS = "assistants.run";

/**
 * Authenticates a call by its internal token. If tokens are not accepted from this peer, throws the same failure as for
 * an invalid key.
 */
export async function authenticateInternal(
  exchange: Exchange,
  internalCallers: InternalCallers | null,
  nowMs: number,
): Promise<Caller> {
  const found = await readPass(exchange.request.socket, exchange.headers.internal as string, internalCallers);
  if (found === null) throw refusePass();
  exchange.endpoint = found.endpoint;
  return checkCaller(found.caller, nowMs);
}

/** Authenticates a request other than inference. Accepts only relay tokens, which act on behalf of a signed-in user. */
export async function authenticateRelayed(
  socket: Socket,
  pass: string,
  internalCallers: InternalCallers | null,
  nowMs: number,
): Promise<Caller> {
  const found = await readPass(socket, pass, internalCallers);
  if (found?.endpoint !== RELAY) throw refusePass();
  return checkCaller(found.caller, nowMs);
}

async function readPass(
  { remoteAddress = "", localAddress = "" }: Socket,
  pass: string,
  internalCallers: InternalCallers | null,
): Promise<InternalCaller | null> {
  return internalCallers?.isInternal(remoteAddress, localAddress) === true ? internalCallers.read(pass) : null;
}

function refusePass(): Failure {
  return new Failure("invalid_api_key", "Internal tokens of this kind are not accepted.");
}

/** Route groups that a key without route restrictions may use. */
const defaultGroups: readonly string[] = ["inference", "information", "public"];

/** Throws if a caller isn't allowed to use an operation. Runs before the body is read. */
export function admitCaller(caller: Caller, operation: OperationDescription): void {
  if (caller.isTeamBlocked && operation.routeGroup === "inference") {
    throw new Failure(
      "TEAM_BLOCKED",
      caller.isBlockedByAdministrator === true
        ? "The team is blocked by an administrator. Ask them to unblock it."
        : "The team is blocked because the organization's balance is negative. Buy credits to continue.",
    );
  }
  const allowed = caller.allowedRoutes ?? defaultGroups;
  if (allowed.includes(operation.routeGroup) || isMaster(caller)) return;
  if (operation.routeGroup === "self" || allowed.some((route) => operation.paths.includes(route))) return;
  throw new Failure(
    "route_not_allowed",
    "This key cannot use this operation. Ask its administrator to allow the route.",
  );
}
