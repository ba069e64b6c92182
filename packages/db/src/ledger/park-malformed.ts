import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../connect.ts";

/**
 * Parks a malformed message with the reason, until an operator reviews it. Its ID is derived from its bytes, so that a
 * redelivered message is stored only once.
 */
export async function parkMalformed(db: Database, message: Uint8Array, reason: string): Promise<void> {
  const hex = createHash("sha256").update(message).digest("hex");
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  const event = JSON.stringify({ id, message: Buffer.from(message).toString("base64") });
  await sql`select park_event(${event}::jsonb, ${reason})`.execute(db);
}
