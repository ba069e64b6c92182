import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";

/** Creates a secret and its stored form. */
export function makeSecret() {
  const token = makeApiKey();
  return { token, stored: storedSecret(token) };
}

/** Returns the stored form of a secret: its digest, and the characters that identify it in lists. */
export function storedSecret(token: string) {
  return { tokenHash: hashApiKey(token), prefix: token.slice(0, 8), lastFour: token.slice(-4) };
}
