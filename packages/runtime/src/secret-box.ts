import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { decodeBase64url } from "@tollgate/domain/identity/base64url.ts";
import type { Secret } from "@tollgate/domain/secret.ts";

/**
 * Encrypts text with this server's secret key. Each ciphertext is bound to its purpose and can't be decrypted for
 * another purpose.
 */
export interface SecretBox {
  seal(text: string, purpose: string): string;
  /** Throws if the text was encrypted for a different purpose, was modified, or was encrypted with an unknown key. */
  open(sealed: string, purpose: string): string;
  /** Reports whether the text should be encrypted again with a newer key. */
  isOutdated(sealed: string): boolean;
}

const MIN_KEY_LENGTH = 32;
const IV_BYTES = 12;
// Set the tag length explicitly. Otherwise, a tag truncated to four bytes, which can be guessed, would be accepted.
const TAG = { authTagLength: 16 } as const;

/**
 * Creates a box that encrypts with AES-256-GCM under the first key and decrypts under any key. During a rotation, there
 * are two keys. The ciphertext identifies its key by a digest, and the purpose is authenticated along with the text.
 */
export function createSecretBox(keys: readonly Secret[]): SecretBox {
  const known = keys.map(deriveKey);
  const current = known[0];
  if (current === undefined) throw new Error("a secret key is required");
  return {
    seal: (text, purpose) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", current.key, iv, TAG).setAAD(Buffer.from(purpose));
      const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return ["v1", current.id, ...[iv, cipher.getAuthTag(), content].map((part) => part.toString("base64url"))].join(
        ".",
      );
    },
    open: (sealed, purpose) => {
      const [version, id, ...parts] = sealed.split(".");
      const key = known.find((candidate) => candidate.id === id);
      if (version !== "v1" || key === undefined) throw new Error("encrypted with a key that is not configured");
      const [iv = null, tag = null, content = null] = parts.map(decodeBase64url);
      if (iv === null || tag === null || content === null || parts.length !== 3)
        throw new Error("the data was modified");
      const decipher = createDecipheriv("aes-256-gcm", key.key, iv, TAG).setAAD(Buffer.from(purpose)).setAuthTag(tag);
      return Buffer.concat([decipher.update(content), decipher.final()]).toString("utf8");
    },
    isOutdated: (sealed) => sealed.split(".")[1] !== current.id,
  };
}

function deriveKey(secret: Secret): { readonly id: string; readonly key: Buffer } {
  const text = secret.reveal();
  if (text.length < MIN_KEY_LENGTH) throw new Error(`the secret key must have at least ${MIN_KEY_LENGTH} characters`);
  const key = createHash("sha256").update(`tollgate secret key\n${text}`).digest();
  return { id: createHash("sha256").update(key).digest("hex").slice(0, 8), key };
}
