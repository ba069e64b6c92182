import { credentialsPath } from "./config-folder.ts";
import { readToml, writeToml } from "./toml-file.ts";

/** What a sign-in left behind. It is good for one address only, and never sent to another. */
export interface StoredCredential {
  readonly url: string;
  readonly token: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly email: string | null;
}

/** The credential of a profile, when there is one. */
export function readCredential(env: NodeJS.ProcessEnv, profile: string): StoredCredential | null {
  const table = readToml(credentialsPath(env))?.[profile];
  if (typeof table !== "object" || table === null) return null;
  const { url, token, issued_at, expires_at, email } = table as Record<string, unknown>;
  if (typeof url !== "string" || typeof token !== "string") return null;
  return {
    url,
    token,
    issuedAt: String(issued_at),
    expiresAt: String(expires_at),
    email: typeof email === "string" ? email : null,
  };
}

/** Keeps the credential of a profile. */
export function writeCredential(env: NodeJS.ProcessEnv, profile: string, credential: StoredCredential): void {
  const table = readToml(credentialsPath(env)) ?? {};
  const { url, token, issuedAt, expiresAt, email } = credential;
  table[profile] = { url, token, issued_at: issuedAt, expires_at: expiresAt, ...(email !== null && { email }) };
  writeToml(credentialsPath(env), table);
}

/** Forgets it. Whether there was one. */
export function removeCredential(env: NodeJS.ProcessEnv, profile: string): boolean {
  const table = readToml(credentialsPath(env));
  if (table?.[profile] === undefined) return false;
  delete table[profile];
  writeToml(credentialsPath(env), table);
  return true;
}

/** Whether two addresses are the same place. */
export function isSamePlace(one: string, other: string): boolean {
  return one.replace(/\/+$/, "").toLowerCase() === other.replace(/\/+$/, "").toLowerCase();
}
