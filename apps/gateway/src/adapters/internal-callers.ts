import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { KeyRecord } from "@tollgate/db/keys/find-key-by-hash.ts";
import { MASTER_KEY_ID } from "@tollgate/domain/api-keys.ts";
import { decodeBase64url } from "@tollgate/domain/identity/base64url.ts";
import type { Caller } from "../call/caller.ts";
import { type InternalCallers, RELAY, RUNS } from "../pipeline/authenticate.ts";
import { toCaller } from "./key-directory.ts";

interface InternalCallersParts {
  /** Returns the public keys that are still valid for verification. */
  readonly listKeys: () => Promise<readonly { readonly kid: string; readonly publicKey: Record<string, unknown> }[]>;
  readonly findKey: (keyId: string) => Promise<KeyRecord | null>;
  /** Returns the master key's caller; null if there is no master key. */
  readonly findMaster: () => Caller | null;
  /** Internal addresses and networks in addition to this machine's addresses. */
  readonly addresses: () => readonly string[];
  readonly now: () => number;
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
}

/** The only accepted token header. The algorithm is fixed and never taken from a token. */
const HEADER = { alg: "EdDSA", typ: "internal+jwt" } as const;
const ISSUER = "tollgate";
const AUDIENCE = "gateway";
/** Purpose of a token that only checks the health of this gateway. */
const HEALTH = "platform.health";
const PURPOSES: readonly string[] = ["platform.messages", RELAY, RUNS, HEALTH];
/** Maximum clock skew between two machines. */
const SKEW_SECONDS = 5;
const MAX_LIFE_SECONDS = 60;
const MAX_PASS = 2_048;
const FRESH_MS = 60_000;
/** Minimum interval between key reloads. All tokens with unknown key IDs in this interval share one reload. */
const RELOAD_MS = 100;
const KID = /^[0-9a-f-]{36}$/;

/**
 * Creates the reader for internal tokens. The platform signs the tokens with its Ed25519 keys, and they expire after a
 * minute.
 */
export function createInternalCallers(parts: InternalCallersParts): InternalCallers {
  let networks: { readonly of: readonly string[]; readonly list: BlockList } = { of: [], list: toBlockList([]) };
  let keys = new Map<string, KeyObject>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | null = null;
  const load = async (): Promise<void> => {
    const untilDueMs = readAtMs + RELOAD_MS - parts.now();
    if (untilDueMs > 0) await pause(untilDueMs);
    const stored = await parts.listKeys();
    keys = new Map(stored.map(({ kid, publicKey }) => [kid, createPublicKey({ key: publicKey, format: "jwk" })]));
    readAtMs = parts.now();
  };
  const reload = (): Promise<void> => {
    loading ??= load().finally(() => {
      loading = null;
    });
    return loading;
  };
  const keyOf = async (kid: string): Promise<KeyObject | null> => {
    if (parts.now() - readAtMs > FRESH_MS) await reload();
    if (keys.has(kid) || !KID.test(kid)) return keys.get(kid) ?? null;
    // A load in progress may have started before the key was created, so load again if the key is still missing.
    await loading;
    if (!keys.has(kid)) await reload();
    return keys.get(kid) ?? null;
  };
  return {
    isInternal: (peerAddress, ownAddress) => {
      // If both ends of a connection have the same address, the connection was made on this machine.
      if (peerAddress !== "" && peerAddress === ownAddress) return true;
      const addresses = parts.addresses();
      if (networks.of !== addresses) networks = { of: addresses, list: toBlockList(addresses) };
      const address = peerAddress.replace(/^::ffff:/i, "");
      return isIP(address) !== 0 && networks.list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
    },
    read: async (pass) => {
      const shown = parsePass(pass);
      if (shown === null) return null;
      try {
        const key = await keyOf(shown.kid);
        if (key === null || !verify(null, shown.signed, key, shown.signature)) return null;
        const purpose = checkClaims(shown.claims, parts.wallClock() / 1_000);
        if (purpose === null) return null;
        if (purpose === HEALTH) return { caller: null, endpoint: purpose };
        const keyId = String(shown.claims.sub);
        // The master key has no database row. Internal tokens for the master key are valid only for its runs.
        if (purpose === RUNS && keyId === MASTER_KEY_ID) return { caller: parts.findMaster(), endpoint: purpose };
        const record = await parts.findKey(keyId);
        return { caller: record === null ? null : toCaller(record), endpoint: purpose };
      } catch (error) {
        throw new Failure("DB_TIMEOUT", "API keys could not be verified. Try again shortly.", { cause: error });
      }
    },
  };
}

interface ShownPass {
  readonly kid: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** Parses a well-formed token without verifying it. */
function parsePass(pass: string): ShownPass | null {
  if (pass.length > MAX_PASS) return null;
  const [header = "", payload = "", signature = "", ...rest] = pass.split(".");
  if (rest.length > 0) return null;
  const head = parseObject(header);
  const claims = parseObject(payload);
  const signatureBytes = decodeBase64url(signature);
  if (head === null || claims === null || signatureBytes === null) return null;
  if (head.alg !== HEADER.alg || head.typ !== HEADER.typ || typeof head.kid !== "string") return null;
  return {
    kid: head.kid,
    claims,
    signed: Buffer.from(`${header}.${payload}`),
    signature: signatureBytes,
  };
}

function parseObject(encoded: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(decodeBase64url(encoded)?.toString("utf8") ?? "");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Returns the token's purpose, or null if the token isn't currently valid for this gateway. */
function checkClaims(claims: ShownPass["claims"], nowSeconds: number): string | null {
  const { iss, aud, sub, purpose, iat, exp } = claims;
  if (iss !== ISSUER || aud !== AUDIENCE || typeof sub !== "string") return null;
  if (typeof purpose !== "string" || !PURPOSES.includes(purpose)) return null;
  if (typeof iat !== "number" || typeof exp !== "number") return null;
  if (iat > nowSeconds + SKEW_SECONDS || exp < nowSeconds - SKEW_SECONDS) return null;
  return exp - iat > MAX_LIFE_SECONDS ? null : purpose;
}

function toBlockList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  list.addSubnet("127.0.0.0", 8, "ipv4");
  list.addAddress("::1", "ipv6");
  for (const entry of addresses) {
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, prefix === undefined ? (family === "ipv6" ? 128 : 32) : Number(prefix), family);
  }
  return list;
}
