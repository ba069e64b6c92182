/** What marks thoughts that another wire signed, where this one has room for what only a provider can read. */
const MARK = "tg1.";

/** Thoughts as a client carries them back without reading them. */
export function encodeReasoning(blocks: readonly unknown[]): string {
  return MARK + Buffer.from(JSON.stringify(blocks), "utf8").toString("base64url");
}

/** Whether these thoughts are of another wire, which OpenAI could not read. */
export function isCarried(encrypted: unknown): encrypted is string {
  return typeof encrypted === "string" && encrypted.startsWith(MARK);
}

/** The thoughts that a client carried back; none when they are somebody else's. */
export function readCarried(encrypted: unknown): readonly object[] {
  if (!isCarried(encrypted)) return [];
  try {
    const blocks: unknown = JSON.parse(Buffer.from(encrypted.slice(MARK.length), "base64url").toString("utf8"));
    return Array.isArray(blocks) ? blocks.filter((block) => typeof block === "object" && block !== null) : [];
  } catch {
    return [];
  }
}
