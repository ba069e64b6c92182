import { credentialsPath } from "./config-folder.ts";
import { readToml, writeToml } from "./toml-file.ts";

/** A stored sign-in. It is valid for one URL only and never sent to another. */
export interface StoredCredential {
  readonly url: string;
  readonly token: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly email: string | null;
}

/** Returns the credential of a profile; null if there is none. */
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

/** Stores the credential of a profile. */
export function writeCredential(env: NodeJS.ProcessEnv, profile: string, credential: StoredCredential): void {
  const table = readToml(credentialsPath(env)) ?? {};
  const { url, token, issuedAt, expiresAt, email } = credential;
  table[profile] = { url, token, issued_at: issuedAt, expires_at: expiresAt, ...(email !== null && { email }) };
  writeToml(credentialsPath(env), table);
}

/** Removes the credential of a profile. Returns true if there was one. */
export function removeCredential(env: NodeJS.ProcessEnv, profile: string): boolean {
  const table = readToml(credentialsPath(env));
  if (table?.[profile] === undefined) return false;
  delete table[profile];
  writeToml(credentialsPath(env), table);
  return true;
}

/** Reports whether two URLs are equal, ignoring case and trailing slashes. */
export function isSamePlace(one: string, other: string): boolean {
  return one.replace(/\/+$/, "").toLowerCase() === other.replace(/\/+$/, "").toLowerCase();
}
