import { hash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { isWellFormedKey } from "@tollgate/domain/api-keys.ts";
import type { HashedKey } from "../edge/exchange.ts";
import type { KeyCarriers } from "../edge/request-headers.ts";
import type { Caller } from "./caller.ts";

/** Finds who a key belongs to by its SHA-256 (hex). */
export interface KeyDirectory {
  /** Whom it is known to belong to; undefined when it has to be looked up. */
  recall(digest: string): Caller | null | undefined;
  /** The same from memory, or from the database. */
  find(digest: string): Caller | null | Promise<Caller | null>;
}

const carriers = ["x-gw-api-key", "authorization", "x-api-key", "api-key"] as const satisfies (keyof KeyCarriers)[];

/** Who calls, by the key in the first accepted header that is present. Never looks at the body. */
export function authenticate(
  keys: KeyCarriers,
  accepted: readonly string[],
  directory: KeyDirectory,
  nowMs: number,
  lastKey: HashedKey = { text: "", digest: "" },
): Caller | Promise<Caller> {
  const key = readKey(keys, accepted);
  // A connection sends the same key again and again; only the digest is remembered for it, never whom it belongs to.
  if (lastKey.text !== key) {
    lastKey.digest = hash("sha256", key, "hex");
    lastKey.text = key;
  }
  const { digest } = lastKey;
  const known = directory.recall(digest);
  if (known !== undefined) return checkCaller(known, nowMs);
  // A typing error is told by the checksum, so it never costs a lookup; a key that is known was looked up before.
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

/** A caller in good standing, or the refusal that says what is wrong with the key. */
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
