import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Changes to a key. Absent fields stay unchanged. */
export interface KeyChange {
  readonly name?: string;
  readonly isDisabled?: boolean;
  readonly expiresAt?: Date | null;
  readonly models?: readonly string[];
  readonly rpm?: number | null;
  readonly tpm?: number | null;
  readonly maxParallel?: number | null;
  readonly modelRpm?: Readonly<Record<string, number>>;
  readonly modelTpm?: Readonly<Record<string, number>>;
  /** Null if the key can use only inference and information routes. */
  readonly allowedRoutes?: readonly string[] | null;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly guardrails?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Changes a key that the caller has locked. */
export async function changeKey(
  transaction: TenantTransaction,
  organizationId: string,
  keyId: string,
  change: KeyChange,
  now: Date,
): Promise<void> {
  const { name, isDisabled, expiresAt, models, rpm, tpm, maxParallel, modelRpm, modelTpm } = change;
  const { allowedRoutes, aliases, tags, guardrails, metadata } = change;
  await transaction
    .updateTable("api_keys")
    .set({
      updated_at: now,
      ...(name !== undefined && { name }),
      // Disabling a disabled key keeps the original timestamp.
      ...(isDisabled === true && { disabled_at: sql<Date>`coalesce(disabled_at, ${now})` }),
      ...(isDisabled === false && { disabled_at: null }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
      ...(models !== undefined && { models: [...models] }),
      ...(rpm !== undefined && { rpm_limit: rpm }),
      ...(tpm !== undefined && { tpm_limit: tpm }),
      ...(maxParallel !== undefined && { max_parallel_requests: maxParallel }),
      ...(modelRpm !== undefined && { model_rpm_limits: { ...modelRpm } }),
      ...(modelTpm !== undefined && { model_tpm_limits: { ...modelTpm } }),
      ...(allowedRoutes !== undefined && { allowed_routes: allowedRoutes === null ? null : [...allowedRoutes] }),
      ...(aliases !== undefined && { aliases: { ...aliases } }),
      ...(tags !== undefined && { tags: [...tags] }),
      ...(guardrails !== undefined && { guardrails: [...guardrails] }),
      ...(metadata !== undefined && { metadata: { ...metadata } }),
    })
    .where("organization_id", "=", organizationId)
    .where("id", "=", keyId)
    .execute();
}

interface NewSecret {
  readonly tokenHash: Buffer;
  readonly prefix: string;
  readonly lastFour: string;
  /** How long the previous secret stays valid; null to invalidate it immediately. */
  readonly previousValidUntil: Date | null;
}

/** Replaces a key's secret. A secret that was still valid from an earlier rotation is invalidated immediately. */
export async function rotateKey(
  transaction: TenantTransaction,
  organizationId: string,
  keyId: string,
  secret: NewSecret,
  now: Date,
): Promise<void> {
  const { previousValidUntil } = secret;
  await transaction
    .updateTable("api_keys")
    .set((column) => ({
      previous_token_hash: previousValidUntil === null ? null : column.ref("token_hash"),
      previous_valid_until: previousValidUntil,
      token_hash: secret.tokenHash,
      prefix: secret.prefix,
      last_four: secret.lastFour,
      rotated_at: now,
      updated_at: now,
    }))
    .where("organization_id", "=", organizationId)
    .where("id", "=", keyId)
    .execute();
}
