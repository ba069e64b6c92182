import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Secret } from "@tollgate/domain/secret.ts";

const LABEL = "first-start setup token";
const LENGTH = 32;

/**
 * Derives the token that allows the first account to be created in a browser. All processes of an instance derive the
 * same token from their secret key, so it is never stored.
 */
export function makeSetupToken(secretKey: Secret): Secret {
  return new Secret(createHmac("sha256", secretKey.reveal()).update(LABEL).digest("base64url").slice(0, LENGTH));
}

/** Reports whether a text is one of the secrets. Takes the same time for all texts. */
export function isOneOf(secrets: readonly Secret[], text: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  const shown = digest(text);
  const matches = secrets.map((secret) => timingSafeEqual(shown, digest(secret.reveal())));
  return matches.includes(true);
}
