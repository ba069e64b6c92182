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

/** How long another process's rotation may stay unnoticed by whoever signs. */
const FRESH_MS = 60_000;
/** A token with a key nobody knows makes the keys be read again, but a flood of them not more often than this. */
const RELOAD_EVERY_MS = 250;
const KID = /^[0-9a-f-]{36}$/;
/** Tokens live for seven days at most, and can be refreshed for seven days after. */
const VERIFIES_FOR_MS = 14 * 24 * 3_600_000;

interface LoadedKeys {
  readonly current: SigningKey | null;
  readonly verifying: ReadonlyMap<string, Pick<SigningKey, "kid" | "publicKey">>;
}

/** The signing keys of the installation, their private halves sealed. The first process to need one makes it. */
export function createDatabaseSigningKeys(db: Database, secrets: SecretBox, now: () => number): SigningKeys {
  let known: LoadedKeys = { current: null, verifying: new Map() };
  let readAtMs = Number.NEGATIVE_INFINITY;
  let loading: Promise<LoadedKeys> | null = null;
  const load = async (): Promise<LoadedKeys> => {
    const untilDueMs = readAtMs + RELOAD_EVERY_MS - now();
    if (untilDueMs > 0) await pause(untilDueMs);
    // From before the question, so that what is read is never older than it is taken for.
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
      // A reading that was under way already may have missed a key made since it began; the next one cannot.
      const underWay = (await loading)?.verifying.get(kid);
      return underWay ?? (await reload()).verifying.get(kid) ?? null;
    },
  };
}

/** A new key pair as it is stored. */
async function makeSigningKey(secrets: SecretBox): Promise<StoredSigningKey> {
  const kid = randomUUID();
  const { publicKey, privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const sealed = secrets.seal(JSON.stringify(await exportJWK(privateKey)), signingKeyPurpose(kid));
  return { kid, publicKey: { ...(await exportJWK(publicKey)) } as Record<string, unknown>, privateKey: sealed };
}

/**
 * Signs with a new key from now on. Tokens of the old one stay good until they end by themselves; after a leak
 * (`isCompromised`) they end at once, and everyone signs in again.
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

/** What seals the private half of a key. */
export const signingKeyPurpose = (kid: string): string => `signing-key:${kid}`;

/** Of keys that only verify the private half stays sealed: it is needed no more. */
function openKeys(rows: Awaited<ReturnType<typeof listSigningKeys>>, secrets: SecretBox): LoadedKeys {
  const verifying = new Map(rows.map(({ kid, publicKey }) => [kid, { kid, publicKey: publicKey as JWK }]));
  const signing = rows.find(({ isRetired }) => !isRetired);
  if (signing === undefined) return { current: null, verifying };
  const { kid, publicKey, privateKey } = signing;
  const opened = JSON.parse(secrets.open(privateKey, signingKeyPurpose(kid))) as JWK;
  return { current: { kid, publicKey: publicKey as JWK, privateKey: opened }, verifying };
}
