import { hash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { isWellFormedKey } from "@tollgate/domain/api-keys.ts";
import type { HashedKey } from "../edge/exchange.ts";
import type { KeyCarriers } from "../edge/request-headers.ts";
import type { Caller } from "./caller.ts";

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

/** Returns the caller if the key is valid. Otherwise, throws a failure with the reason. */
export function checkCaller(caller: Caller | null, nowMs: number): Caller {
  if (caller === null) throw invalidKey();
  if (caller.expiresAtMs !== null && caller.expiresAtMs <= nowMs) {
    throw new Failure("expired_key", "This API key has expired. Create a new one or extend it.");
  }
  if (caller.isDisabled) throw new Failure("key_blocked", "This API key is disabled.");
  return caller;
}

function invalidKey(): Failure {
  return new Failure("invalid_api_key", "Invalid API key.");
}
