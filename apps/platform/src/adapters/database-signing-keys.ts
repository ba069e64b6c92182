import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  insertSigningKey,
  listSigningKeys,
  replaceSigningKey,
  type StoredSigningKey,
} from "@tollgate/db/accounts/signing-keys.ts";
import type { Database } from "@tollgate/db/connect.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { SigningKey, SigningKeys } from "./jose-token-issuer.ts";

/** Maximum time until a signing process notices another process's rotation. */
const FRESH_MS = 60_000;
/** Minimum interval between key reloads that tokens with unknown key IDs trigger. */
const RELOAD_EVERY_MS = 250;
const KID = /^[0-9a-f-]{36}$/;
/**
 * Time for which a retired key verifies tokens. Tokens are valid for at most seven days and can be refreshed for seven
 * more.
 */
const VERIFIES_FOR_MS = 14 * 24 * 3_600_000;

interface LoadedKeys {
  readonly current: SigningKey | null;
  readonly verifying: ReadonlyMap<string, Pick<SigningKey, "kid" | "publicKey">>;
}

/**
 * Reads the signing keys of this Tollgate instance. Private keys are encrypted. The first process creates a key if none
 * exists.
 */
export function createDatabaseSigningKeys(db: Database, secrets: SecretBox, now: () => number): SigningKeys {
  let known: LoadedKeys = { current: null, verifying: new Map() };
  let readAtMs = Number.NEGATIVE_INFINITY;
  let loading: Promise<LoadedKeys> | null = null;
  const load = async (): Promise<LoadedKeys> => {
    const untilDueMs = readAtMs + RELOAD_EVERY_MS - now();
    if (untilDueMs > 0) await pause(untilDueMs);
    // Read the clock before the query, so that the keys are never older than assumed.
    const askedAtMs = now();
    known = openKeys(await listSigningKeys(db), secrets);
    readAtMs = askedAtMs;
    return known;
  };
  const reload = (): Promise<LoadedKeys> => {
    loading ??= load().finally(() => {
      loading = null;
    });
    return loading;
  };
  const read = () => (now() - readAtMs < FRESH_MS ? Promise.resolve(known) : reload());
  return {
    current: async () => {
      const { current } = await read();
      if (current !== null) return current;
      await insertSigningKey(db, await makeSigningKey(secrets), true);
      return (await reload()).current as SigningKey;
    },
    find: async (kid) => {
      const found = (await read()).verifying.get(kid);
      if (found !== undefined || !KID.test(kid)) return found ?? null;
      // A read in progress may have started before the key was created. If that read misses the key, a new read finds
      // it.
      const underWay = (await loading)?.verifying.get(kid);
      return underWay ?? (await reload()).verifying.get(kid) ?? null;
    },
  };
}

/** Creates a key pair in its stored form. */
async function makeSigningKey(secrets: SecretBox): Promise<StoredSigningKey> {
  const kid = randomUUID();
  const { publicKey, privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const sealed = secrets.seal(JSON.stringify(await exportJWK(privateKey)), signingKeyPurpose(kid));
  return { kid, publicKey: { ...(await exportJWK(publicKey)) } as Record<string, unknown>, privateKey: sealed };
}

/**
 * Replaces the signing key. Tokens signed with the old key stay valid until they expire. If `isCompromised`, those
 * tokens become invalid immediately and all users have to sign in again.
 */
export async function rotateSigningKey(
  db: Database,
  secrets: SecretBox,
  now: Date,
  { isCompromised = false }: { readonly isCompromised?: boolean } = {},
): Promise<{ readonly kid: string }> {
  const key = await makeSigningKey(secrets);
  const forgetAt = isCompromised ? now : new Date(now.getTime() + VERIFIES_FOR_MS);
  await replaceSigningKey(db, key, { now, forgetAt });
  return { kid: key.kid };
}

/** Returns the purpose string for encrypting a private key. */
export const signingKeyPurpose = (kid: string): string => `signing-key:${kid}`;

/** Decrypts only the current key. Retired keys only verify, so their private halves stay encrypted. */
function openKeys(rows: Awaited<ReturnType<typeof listSigningKeys>>, secrets: SecretBox): LoadedKeys {
  const verifying = new Map(rows.map(({ kid, publicKey }) => [kid, { kid, publicKey: publicKey as JWK }]));
  const signing = rows.find(({ isRetired }) => !isRetired);
  if (signing === undefined) return { current: null, verifying };
  const { kid, publicKey, privateKey } = signing;
  const opened = JSON.parse(secrets.open(privateKey, signingKeyPurpose(kid))) as JWK;
  return { current: { kid, publicKey: publicKey as JWK, privateKey: opened }, verifying };
}
