// cspell:ignore tells -- Records already stored in Redis use this field name.
import type { AnswerForm } from "../call/operation-traits.ts";

/** A cached response: the bytes that were sent, and everything needed to convert them to another form. */
export interface CacheRecord {
  readonly form: AnswerForm;
  /** True if the frames of the response include usage. */
  readonly tellsUsage: boolean;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly keptAtMs: number;
  readonly deploymentId: string;
  readonly contentType: string;
  /** The response, one character per byte. */
  readonly text: string;
}

/** Encodes the response as one string, with a line of metadata before its bytes. */
export function encodeCacheRecord({ text, ...head }: CacheRecord): string {
  return `${Buffer.from(JSON.stringify(head), "utf8").toString("latin1")}\n${text}`;
}

/** Decodes a record; null if it is invalid or from a different version. */
export function decodeCacheRecord(value: string): CacheRecord | null {
  const end = value.indexOf("\n");
  try {
    const head = JSON.parse(Buffer.from(value.slice(0, end), "latin1").toString("utf8")) as Omit<CacheRecord, "text">;
    const isWhole = typeof head.form === "string" && typeof head.keptAtMs === "number";
    return isWhole && typeof head.deploymentId === "string" ? { ...head, text: value.slice(end + 1) } : null;
  } catch {
    return null;
  }
}
