import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { keyIdOf } from "@tollgate/domain/signing-keys.ts";

/** The end of a chain at the time of a checkpoint. */
export interface ChainHead {
  readonly chain: "ledger" | "audit";
  /** `instance` for the chains without an organization. */
  readonly organizationId: string;
  readonly seq: number;
  /** Hexadecimal. */
  readonly hash: string;
}

/** Which usage rows exist at the time of a checkpoint, and how long they are kept. */
export interface UsageRetention {
  /** First day that has a partition, as `YYYY-MM-DD`; null if no day has one. */
  readonly since: string | null;
  /** From the settings of the worker, which the owner of the database can't change. */
  readonly retentionDays: number;
}

/** A record of the ends of the chains that grew since the previous checkpoint. */
export interface Checkpoint {
  readonly number: number;
  readonly at: string;
  /** Digest of the previous checkpoint with its signature; null for the first one. */
  readonly previous: string | null;
  readonly organizations: number;
  /**
   * Time from which every transaction is in a chain when it is committed, in seconds since 1970; `-Infinity` in a new
   * database.
   */
  readonly chainedSince: string;
  /** Absent in checkpoints of earlier releases. */
  readonly usage?: UsageRetention;
  readonly heads: readonly ChainHead[];
}

/** First word of a checkpoint. A later format has another one. */
const FORMAT = "tollgate-checkpoint-1";
const FIRST_LINE = /^tollgate-checkpoint-1 ([0-9a-f]{16}) ([A-Za-z0-9+/]{86}==)\n/;

type ReadCheckpoint =
  | { readonly kind: "signed"; readonly checkpoint: Checkpoint; readonly key: KeyObject }
  | { readonly kind: "other-key"; readonly keyId: string }
  | { readonly kind: "invalid"; readonly reason: string };

/** Returns a checkpoint as signed text. The signature covers every byte after the first line. */
export function signCheckpoint(checkpoint: Checkpoint, privateKey: KeyObject): string {
  const text = `${JSON.stringify(checkpoint)}\n`;
  const signature = sign(null, Buffer.from(text, "utf8"), privateKey).toString("base64");
  return `${FORMAT} ${keyIdOf(createPublicKey(privateKey))} ${signature}\n${text}`;
}

/** Reads a signed checkpoint and verifies its signature, which must be of one of these keys. */
export function readCheckpoint(content: string, publicKeys: readonly KeyObject[]): ReadCheckpoint {
  const first = FIRST_LINE.exec(content);
  if (first === null) return { kind: "invalid", reason: "its first line is not a signature" };
  const [line, keyId, signature] = first as unknown as [string, string, string];
  const key = publicKeys.find((each) => keyIdOf(each) === keyId);
  if (key === undefined) return { kind: "other-key", keyId };
  const text = content.slice(line.length);
  if (!verify(null, Buffer.from(text, "utf8"), key, Buffer.from(signature, "base64"))) {
    return { kind: "invalid", reason: "its signature doesn't match its contents" };
  }
  return { kind: "signed", checkpoint: JSON.parse(text), key };
}

/** Returns the digest by which the next checkpoint refers to this one. */
export function checkpointDigest(content: string): string {
  return createHash("sha256").update(content, "utf8").digest("hex");
}
