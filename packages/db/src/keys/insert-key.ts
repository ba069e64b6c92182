import { type RateLimits, toLimitColumns } from "../rate-limits.ts";
import type { TenantTransaction } from "../tenancy.ts";

export interface NewKey {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string;
  readonly userId?: number | null;
  readonly name: string;
  readonly tokenHash: Buffer;
  /** First eight characters of the secret. `lastFour` contains its last four characters. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly expiresAt?: Date | null;
  readonly models?: readonly string[];
  readonly allowedRoutes?: readonly string[] | null;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly guardrails?: readonly string[];
  readonly limits?: Partial<RateLimits>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Adds a key to a team in the same organization. */
export async function insertKey(transaction: TenantTransaction, key: NewKey): Promise<void> {
  await transaction
    .insertInto("api_keys")
    .values({
      id: key.id,
      organization_id: key.organizationId,
      team_id: key.teamId,
      user_id: key.userId ?? null,
      name: key.name,
      token_hash: key.tokenHash,
      prefix: key.prefix,
      last_four: key.lastFour,
      expires_at: key.expiresAt ?? null,
      models: [...(key.models ?? [])],
      allowed_routes: key.allowedRoutes ? [...key.allowedRoutes] : null,
      aliases: { ...key.aliases },
      tags: [...(key.tags ?? [])],
      guardrails: [...(key.guardrails ?? [])],
      metadata: { ...key.metadata },
      ...toLimitColumns(key.limits),
    })
    .execute();
}
