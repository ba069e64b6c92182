import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { keyIdOf, readPublicKey } from "@tollgate/domain/signing-keys.ts";

/** First word of a signed edition. A later format has another one. */
const FORMAT = "tollgate-catalog-1";
const FIRST_LINE = /^tollgate-catalog-(\d+) ([0-9a-f]{16}) ([A-Za-z0-9+/]{86}==)\n/;

/** Public key that verifies editions unless `prices.publicKey` replaces it: Ed25519, as base64 of its DER form. */
const BUILT_IN_KEY = "MCowBQYDK2VwAyEAbE7181YYRWSN5+itrHBUe8F+zrBMHShRqFaKHYNane8=";

/** An edition as read from a file: its text, and the key that signed it. */
type ReadEdition =
  | { readonly kind: "signed"; readonly keyId: string; readonly text: string }
  | { readonly kind: "unsigned"; readonly text: string }
  | { readonly kind: "invalid"; readonly reason: string };

/** Returns the key that verifies editions: the configured one, or the built-in one. Throws for an unusable key. */
export function verifyingKey(configured: string | null): KeyObject {
  const key = readPublicKey(configured ?? BUILT_IN_KEY);
  if (key === null) throw new Error("prices.publicKey is not an Ed25519 public key.");
  return key;
}

/** Reads an edition and verifies its signature. The signature covers every byte after the first line. */
export function readEdition(bytes: Buffer, key: KeyObject): ReadEdition {
  const first = FIRST_LINE.exec(bytes.subarray(0, 256).toString("latin1"));
  if (first === null) {
    const isDamaged = bytes.subarray(0, FORMAT.length).toString("latin1").startsWith("tollgate-catalog");
    if (isDamaged) return { kind: "invalid", reason: "its first line is not a signature" };
    return { kind: "unsigned", text: bytes.toString("utf8") };
  }
  const [line, format, keyId, signature] = first as unknown as [string, string, string, string];
  if (`tollgate-catalog-${format}` !== FORMAT) {
    return { kind: "invalid", reason: `its format ${format} needs a later version of Tollgate` };
  }
  const content = bytes.subarray(line.length);
  if (keyId !== keyIdOf(key)) {
    return { kind: "invalid", reason: `it was signed with the key ${keyId}, and this server trusts ${keyIdOf(key)}` };
  }
  if (!verify(null, content, key, Buffer.from(signature, "base64"))) {
    return { kind: "invalid", reason: "its signature doesn't match its contents" };
  }
  return { kind: "signed", keyId, text: content.toString("utf8") };
}

/** Returns the edition as a signed file. */
export function signEdition(text: string, privateKey: KeyObject): string {
  const signature = sign(null, Buffer.from(text, "utf8"), privateKey).toString("base64");
  return `${FORMAT} ${keyIdOf(createPublicKey(privateKey))} ${signature}\n${text}`;
}
