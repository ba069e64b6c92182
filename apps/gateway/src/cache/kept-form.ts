import type { AnswerForm } from "../operations/operation-kind.ts";

/** An answer as it is kept: what was sent, and what it takes to send it in another form. */
export interface CacheRecord {
  readonly form: AnswerForm;
  /** Whether its frames tell what it used. */
  readonly tellsUsage: boolean;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly keptAtMs: number;
  readonly deploymentId: string;
  readonly contentType: string;
  /** A string of bytes. */
  readonly text: string;
}

/** The answer as one string: a line about it, then its bytes. */
export function encodeCacheRecord({ text, ...head }: CacheRecord): string {
  return `${Buffer.from(JSON.stringify(head), "utf8").toString("latin1")}\n${text}`;
}

/** Reads such a string; null when it is none, such as one of another version. */
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
