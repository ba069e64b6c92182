/** A key of its own for one decision. Not `randomUUID`, which browsers keep from pages without TLS. */
export function makeIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
