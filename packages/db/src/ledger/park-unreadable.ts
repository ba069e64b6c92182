import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../connect.ts";

/**
 * Keeps a message that nobody here can read, with the reason, until someone looks at it. Its id comes from its bytes, so
 * that one which is sent again and again is kept once.
 */
export async function parkUnreadable(db: Database, message: Uint8Array, reason: string): Promise<void> {
  const hex = createHash("sha256").update(message).digest("hex");
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  const event = JSON.stringify({ id, message: Buffer.from(message).toString("base64") });
  await sql`select park_event(${event}::jsonb, ${reason})`.execute(db);
}
