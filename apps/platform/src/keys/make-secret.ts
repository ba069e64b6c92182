import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";

/** Creates a secret and its stored form. */
export function makeSecret() {
  const token = makeApiKey();
  return { token, stored: { tokenHash: hashApiKey(token), prefix: token.slice(0, 8), lastFour: token.slice(-4) } };
}
