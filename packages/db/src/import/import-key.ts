import type { Selectable } from "kysely";
import { changeKey } from "../keys/change-key.ts";
import type { RateLimits } from "../rate-limits.ts";
import type { Tables } from "../tables.generated.ts";
import type { TenantTransaction } from "../tenancy.ts";
import { differingFields, type ImportOutcome } from "./compare-record.ts";
import { type BudgetImport, importBudget } from "./import-budget.ts";
import { type ImportContext, importer } from "./importer.ts";

export interface KeyImport extends RateLimits {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string;
  /** SHA-256 of the secret. The secret itself is unknown here. */
  readonly tokenHash: Buffer;
  readonly prefix: string;
  readonly lastFour: string;
  /** The previous secret, while both secrets are valid. */
  readonly former: { readonly tokenHash: Buffer; readonly validUntil: Date } | null;
  readonly name: string;
  readonly isDisabled: boolean;
  readonly expiresAt: Date | null;
  readonly models: readonly string[];
  readonly allowedRoutes: readonly string[] | null;
  readonly aliases: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly budget: BudgetImport | null;
}

/** Creates or updates a key with its original hash, so that its secret continues to work. */
export async function importKey(
  transaction: TenantTransaction,
  key: KeyImport,
  userId: number | null,
  { now, audit, createKey }: ImportContext,
): Promise<ImportOutcome> {
  const { id, organizationId, teamId, tokenHash, prefix, lastFour, former, budget, ...wanted } = key;
  const { isDisabled, rpm, tpm, maxParallel, modelRpm, modelTpm, ...facts } = wanted;
  const row = await transaction
    .selectFrom("api_keys")
    .selectAll()
    .where((column) => column.or([column("id", "=", id), column("token_hash", "=", tokenHash)]))
    .executeTakeFirst();
  const kept = row === undefined ? null : whyKept(row, key);
  if (kept !== null) return { kind: "kept", reason: kept };
  const fields: string[] = [];
  if (row === undefined) {
    const limits = { rpm, tpm, maxParallel, modelRpm, modelTpm };
    const secret = { tokenHash, prefix, lastFour };
    await createKey(transaction, { id, organizationId, teamId, userId, ...secret, limits, isDisabled, ...facts });
    if (former !== null && former.validUntil > now) {
      await transaction
        .updateTable("api_keys")
        .set({ previous_token_hash: former.tokenHash, previous_valid_until: former.validUntil })
        .where("id", "=", id)
        .execute();
    }
  } else {
    // A key that was disabled in Tollgate, perhaps because it leaked, must not be re-enabled by an import.
    const safe = { ...wanted, isDisabled: isDisabled || row.disabled_at !== null };
    fields.push(...differingFields(currentOf(row), safe));
    if (fields.length > 0) await changeKey(transaction, organizationId, id, safe, now);
  }
  if (await importBudget(transaction, { organizationId, scope: "key", scopeId: id }, budget)) fields.push("budget");
  if (row !== undefined && fields.length === 0) return { kind: "unchanged" };
  await audit(transaction, {
    organizationId,
    actor: importer,
    action: row === undefined ? "key.created" : "key.updated",
    target: { type: "key", id },
    after: { ...wanted, teamId, budget, importedFrom: "litellm" },
    ...(userId !== null && { subjects: [userId] }),
  });
  return row === undefined ? { kind: "created" } : { kind: "changed", fields };
}

type KeyRow = Selectable<Tables["api_keys"]>;

function whyKept(row: KeyRow, { id, tokenHash, teamId }: KeyImport): string | null {
  if (row.id !== id) return "a key with the same secret already exists";
  if (row.revoked_at !== null) return "the key was deleted in Tollgate";
  if (!row.token_hash.equals(tokenHash)) return "its secret was rotated in Tollgate";
  return row.team_id === teamId ? null : "it belongs to another team in Tollgate, and keys cannot change teams";
}

function currentOf(row: KeyRow) {
  return {
    name: row.name,
    isDisabled: row.disabled_at !== null,
    expiresAt: row.expires_at,
    models: row.models,
    allowedRoutes: row.allowed_routes,
    aliases: row.aliases,
    tags: row.tags,
    metadata: row.metadata as Readonly<Record<string, unknown>>,
    rpm: row.rpm_limit,
    tpm: row.tpm_limit,
    maxParallel: row.max_parallel_requests,
    modelRpm: row.model_rpm_limits,
    modelTpm: row.model_tpm_limits,
  };
}
