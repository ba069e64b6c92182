import { credentialsPath } from "./config-folder.ts";
import { readToml, writeToml } from "./toml-file.ts";

/** Stored credentials, valid for one URL and never sent to any other URL. */
export interface StoredCredential {
  readonly url: string;
  readonly token: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly email: string | null;
  /** Inference key, valid for one gateway URL; null if none was created at sign-in. */
  readonly apiKey: StoredApiKey | null;
}

interface StoredApiKey {
  readonly baseUrl: string;
  readonly secret: string;
}

/** Returns the profile's credential; null if the profile is not signed in. */
export function readCredential(env: NodeJS.ProcessEnv, profile: string): StoredCredential | null {
  const table = readToml(credentialsPath(env))?.[profile];
  if (typeof table !== "object" || table === null) return null;
  const { url, token, issued_at, expires_at, email, api_key, api_key_url } = table as Record<string, unknown>;
  if (typeof url !== "string" || typeof token !== "string") return null;
  return {
    url,
    token,
    issuedAt: String(issued_at),
    expiresAt: String(expires_at),
    email: typeof email === "string" ? email : null,
    apiKey:
      typeof api_key === "string" && typeof api_key_url === "string" ? { baseUrl: api_key_url, secret: api_key } : null,
  };
}

/** Stores the profile's credential. */
export function writeCredential(env: NodeJS.ProcessEnv, profile: string, credential: StoredCredential): void {
  const table = readToml(credentialsPath(env)) ?? {};
  const { url, token, issuedAt, expiresAt, email, apiKey } = credential;
  table[profile] = {
    url,
    token,
    issued_at: issuedAt,
    expires_at: expiresAt,
    ...(email !== null && { email }),
    ...(apiKey !== null && { api_key: apiKey.secret, api_key_url: apiKey.baseUrl }),
  };
  writeToml(credentialsPath(env), table);
}

/** Removes the profile's credential. Returns true if a credential existed. */
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
