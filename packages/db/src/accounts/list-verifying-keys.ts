import { sql } from "kysely";
import type { Database } from "../connect.ts";

interface VerifyingKey {
  readonly kid: string;
  readonly publicKey: Record<string, unknown>;
}

/** Returns the public half of every signing key that can still verify tokens. Gateways can read only these columns. */
export async function listVerifyingKeys(db: Database): Promise<readonly VerifyingKey[]> {
  return db
    .selectFrom("signing_keys")
    .select(["kid", "public_key as publicKey"])
    .where(sql<boolean>`coalesce(forgotten_at > now(), true)`)
    .execute();
}
