import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeApiKey } from "@tollgate/domain/api-keys.ts";
import { makePassword } from "@tollgate/domain/identity/make-password.ts";

/** Keys of a development instance, stored next to its data so that they survive restarts. */
export interface LocalCredentials {
  readonly apiKey: string;
  readonly masterKey: string;
  readonly admin: { readonly email: string; readonly password: string };
  /** Secret key that encrypts stored secrets. It is never displayed. */
  readonly secretKey: string;
}

export const ADMIN_EMAIL = "dev@localhost";

/** Reads the credentials in the data directory and creates missing ones. Only the owner can read the file. */
export function readLocalCredentials(dataDir: string): LocalCredentials {
  const path = join(dataDir, "credentials.json");
  // Credential files from earlier versions contain only the keys.
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Partial<LocalCredentials>) : {};
  const credentials = { ...makeCredentials(), ...kept };
  if (Object.keys(kept).length < Object.keys(credentials).length) {
    writeFileSync(path, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  }
  return credentials;
}

function makeCredentials(): LocalCredentials {
  return {
    apiKey: makeApiKey(),
    masterKey: `sk-master-${makeApiKey().slice("sk-tg-".length)}`,
    admin: { email: ADMIN_EMAIL, password: makePassword() },
    secretKey: randomBytes(32).toString("hex"),
  };
}
