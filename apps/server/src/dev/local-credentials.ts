import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeApiKey } from "@tollgate/domain/api-keys.ts";

/** The keys of a development instance, kept beside its data so that they survive restarts. */
export interface LocalCredentials {
  readonly apiKey: string;
  readonly masterKey: string;
  readonly admin: { readonly email: string; readonly password: string };
  /** Seals what the database must give back. Shown to nobody. */
  readonly secretKey: string;
}

const ADMIN_EMAIL = "dev@localhost";
const PASSWORD_BYTES = 12;

/** The credentials of this data folder, those that are missing made now. Only the owner can read the file. */
export function readLocalCredentials(dataDir: string): LocalCredentials {
  const path = join(dataDir, "credentials.json");
  // A folder of an earlier version knows only its keys.
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

/** A password nobody has to invent: 96 random bits. */
export function makePassword(): string {
  return randomBytes(PASSWORD_BYTES).toString("base64url");
}
