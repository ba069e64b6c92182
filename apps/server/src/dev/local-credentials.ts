import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeApiKey } from "@tollgate/domain/api-keys.ts";

/** The keys of a development instance, kept beside its data so that they survive restarts. */
export interface LocalCredentials {
  readonly apiKey: string;
  readonly masterKey: string;
}

/** The credentials of this data folder, made on first use. Only the owner can read the file. */
export function readLocalCredentials(dataDir: string): LocalCredentials {
  const path = join(dataDir, "credentials.json");
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as LocalCredentials;
  const made = { apiKey: makeApiKey(), masterKey: `sk-master-${makeApiKey().slice("sk-tg-".length)}` };
  writeFileSync(path, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  return made;
}
