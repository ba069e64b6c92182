import { randomUUID } from "node:crypto";
import { insertSigningKey, listSigningKeys } from "@tollgate/db/accounts/signing-keys.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import type { SecretBox } from "../secret-box.ts";
import type { SigningKey, SigningKeys } from "./jose-token-issuer.ts";

/** How long another process's rotation may stay unnoticed. */
const FRESH_MS = 60_000;

/** The signing keys of the installation, their private halves sealed. The first process to need one makes it. */
export function createDatabaseSigningKeys(db: Database, secrets: SecretBox, now: () => number): SigningKeys {
  let known: readonly SigningKey[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  const load = async (isForced: boolean): Promise<readonly SigningKey[]> => {
    if (!isForced && now() - readAtMs < FRESH_MS && known.length > 0) return known;
    const rows = await listSigningKeys(db);
    known = rows.map(({ kid, publicKey, privateKey }) => ({
      kid,
      publicKey: publicKey as JWK,
      privateKey: JSON.parse(secrets.open(privateKey, purposeOf(kid))) as JWK,
    }));
    readAtMs = now();
    return known;
  };
  return {
    current: async () => {
      const [newest] = await load(false);
      if (newest !== undefined) return newest;
      await insertSigningKey(db, await makeSigningKey(secrets), true);
      return (await load(true))[0] as SigningKey;
    },
    find: async (kid) => {
      const found = (await load(false)).find((key) => key.kid === kid);
      return found ?? (await load(true)).find((key) => key.kid === kid) ?? null;
    },
  };
}

/** A new key pair as it is stored. */
export async function makeSigningKey(secrets: SecretBox) {
  const kid = randomUUID();
  const { publicKey, privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const sealed = secrets.seal(JSON.stringify(await exportJWK(privateKey)), purposeOf(kid));
  return { kid, publicKey: { ...(await exportJWK(publicKey)) } as Record<string, unknown>, privateKey: sealed };
}

const purposeOf = (kid: string): string => `signing-key:${kid}`;
