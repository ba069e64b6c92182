/** Creates an idempotency key. Doesn't use `randomUUID`, which browsers don't expose to pages without TLS. */
export function makeIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
