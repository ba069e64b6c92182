/** Prefix for signed thinking from other APIs, stored in the field for encrypted reasoning. */
const MARK = "tg1.";

/** Encodes thinking blocks as opaque text that a client sends back. */
export function encodeReasoning(blocks: readonly unknown[]): string {
  return MARK + Buffer.from(JSON.stringify(blocks), "utf8").toString("base64url");
}

/** Reports whether the reasoning comes from another API. OpenAI can't decrypt such reasoning. */
export function isCarried(encrypted: unknown): encrypted is string {
  return typeof encrypted === "string" && encrypted.startsWith(MARK);
}

/** Decodes the thinking blocks that a client sent back. Returns an empty list if the gateway didn't encode them. */
export function readCarried(encrypted: unknown): readonly object[] {
  if (!isCarried(encrypted)) return [];
  try {
    const blocks: unknown = JSON.parse(Buffer.from(encrypted.slice(MARK.length), "base64url").toString("utf8"));
    return Array.isArray(blocks) ? blocks.filter((block) => typeof block === "object" && block !== null) : [];
  } catch {
    return [];
  }
}
