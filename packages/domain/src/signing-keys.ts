import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** Reads a private key in base64 or PEM form. Returns null if it isn't an Ed25519 private key. */
export function readPrivateKey(text: string): KeyObject | null {
  return readKey(() =>
    text.includes("-----BEGIN")
      ? createPrivateKey(text)
      : createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type: "pkcs8" }),
  );
}

/** Reads a public key in base64 or PEM form. Returns null if it isn't an Ed25519 public key. */
export function readPublicKey(text: string): KeyObject | null {
  return readKey(() =>
    text.includes("-----BEGIN")
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" }),
  );
}

function readKey(read: () => KeyObject): KeyObject | null {
  try {
    const key = read();
    return key.asymmetricKeyType === "ed25519" ? key : null;
  } catch {
    return null;
  }
}

/** Returns a short name for a public key: the beginning of its hash. */
export function keyIdOf(key: KeyObject): string {
  const der = key.export({ format: "der", type: "spki" });
  return createHash("sha256").update(der).digest("hex").slice(0, 16);
}
