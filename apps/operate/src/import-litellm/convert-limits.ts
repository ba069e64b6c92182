import type { LitellmRow } from "@tollgate/db/import/read-litellm.ts";
import type { RateLimits } from "@tollgate/db/rate-limits.ts";
import { type ImportNotes, limitOf, listOf, objectOf, pairsOf, warnUnknownColumns } from "./convert-fields.ts";

/** Metadata entries that affect how LiteLLM handles calls. */
const decisive = [
  "model_rpm_limit",
  "model_tpm_limit",
  "rpm_limit_type",
  "tpm_limit_type",
  "enforced_params",
  "temp_budget_increase",
  "temp_budget_expiry",
  "allowed_vector_store_indexes",
  "enforced_batch_output_expires_after",
  "enforced_file_expires_after",
  "guardrails",
  "policies",
  "tags",
  "team_member_key_duration",
  "prompts",
  "logging",
  "secret_manager_settings",
  "allowed_passthrough_routes",
] as const;
const carried = new Set(["model_rpm_limit", "model_tpm_limit", "tags"]);

/**
 * Converts the limits, tags, and metadata of a key or team. The record's limits override the limits of its budget in
 * `base`.
 */
export function convertLimits(row: LitellmRow, base: LitellmRow, remarks: ImportNotes) {
  const metadata = objectOf(row, "metadata");
  const meaning = Object.fromEntries(decisive.filter((name) => name in metadata).map((name) => [name, metadata[name]]));
  warnUnknownColumns(meaning, carried, remarks, "metadata.");
  const limits: RateLimits = {
    rpm: limitOf(row, "rpm_limit") ?? limitOf(base, "rpm_limit"),
    tpm: limitOf(row, "tpm_limit") ?? limitOf(base, "tpm_limit"),
    maxParallel: limitOf(row, "max_parallel_requests") ?? limitOf(base, "max_parallel_requests"),
    modelRpm: pairsOf<number>(metadata.model_rpm_limit, "number"),
    modelTpm: pairsOf<number>(metadata.model_tpm_limit, "number"),
  };
  const kept = Object.entries(metadata).filter(([name]) => !decisive.includes(name as (typeof decisive)[number]));
  return { ...limits, tags: listOf(metadata, "tags"), metadata: Object.fromEntries(kept) };
}

/** Known columns of a budget. Several records may share a budget. */
export const budgetColumns: ReadonlySet<string> = new Set([
  "budget_id",
  "max_budget",
  "max_parallel_requests",
  "tpm_limit",
  "rpm_limit",
  "budget_duration",
  "budget_reset_at",
  "created_at",
  "created_by",
  "updated_at",
  "updated_by",
]);
