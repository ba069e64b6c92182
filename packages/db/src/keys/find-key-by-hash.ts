import type { StoredFixedPrice } from "@tollgate/domain/pricing/stored-price-rules.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import type { Budget } from "../leases/budgets.ts";
import { type PriceListEntry, readTerms } from "../organizations/price-list.ts";
import type { RateLimits } from "../rate-limits.ts";

/** A key with its team and organization: all data needed to authorize a call before its body is read. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly userId: number | null;
  /** True if the user who created the key is currently an administrator of the platform, and in its organization. */
  readonly isOfAdministrator: boolean;
  readonly disabledAt: Date | null;
  readonly revokedAt: Date | null;
  readonly expiresAt: Date | null;
  /** Set if the key was found by its previous secret, which stops working at this time. */
  readonly graceEndsAt: Date | null;
  readonly models: readonly string[];
  /** Null if the key can use only the routes that every key can use. */
  readonly allowedRoutes: readonly string[] | null;
  readonly aliases: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly guardrails: readonly string[];
  readonly limits: RateLimits;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly team: KeyTeam;
  readonly organization: KeyOrganization;
  /** Budgets of the key, its user, its team, and its organization. */
  readonly budgets: readonly Budget[];
}

interface KeyTeam {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "blocked";
  readonly blockedReason: string | null;
  readonly models: readonly string[];
  readonly modelAliases: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly guardrails: readonly string[];
  readonly limits: RateLimits;
}

interface KeyOrganization {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "closed";
  readonly models: readonly string[];
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
  /** If true, prompts and responses are stored. */
  readonly logPrompts: boolean;
  /** The organization's own prices; empty if it pays standard prices. */
  readonly priceList: readonly PriceListEntry[];
}

/**
 * Finds a key in one query by the SHA-256 of its current secret, or of a rotated secret within the grace period.
 * Returns null if there is no such key.
 */
export async function findKeyByHash(db: Database, hash: Buffer): Promise<KeyRecord | null> {
  const row = await selectKeyByHash(db, hash).executeTakeFirst();
  return row === undefined ? null : toKeyRecord(row);
}

/** Finds the key with this ID, or returns null. */
export async function findKeyById(db: Database, id: string): Promise<KeyRecord | null> {
  const row = await selectKeys(db)
    .select(sql<Date | null>`null::timestamptz`.as("grace_ends_at"))
    .where("key.id", "=", id)
    .executeTakeFirst();
  return row === undefined ? null : toKeyRecord(row);
}

/** Builds the query for `findKeyByHash`. Exported so that tests can check the query plan. */
export function selectKeyByHash(db: Database, hash: Buffer) {
  return (
    selectKeys(db)
      .select((column) =>
        column
          .case()
          .when("key.token_hash", "=", hash)
          .then(null)
          .else(column.ref("key.previous_valid_until"))
          .end()
          .as("grace_ends_at"),
      )
      .where((column) =>
        column.or([
          column("key.token_hash", "=", hash),
          column.and([
            column("key.previous_token_hash", "=", hash),
            column("key.previous_valid_until", ">", sql<Date>`now()`),
          ]),
        ]),
      )
      // An imported key's secret can equal the previous secret of another key. Prefer the key that currently uses the
      // secret.
      .orderBy("grace_ends_at", (order) => order.desc().nullsFirst())
      .limit(1)
  );
}

function selectKeys(db: Database) {
  return db
    .selectFrom("api_keys as key")
    .innerJoin("teams as team", "team.id", "key.team_id")
    .innerJoin("organizations as organization", "organization.id", "key.organization_id")
    .selectAll("key")
    .select(sql<boolean>`is_key_of_administrator(key.id)`.as("is_of_administrator"))
    .select([
      "team.name as team_name",
      "team.status as team_status",
      "team.blocked_reason as team_blocked_reason",
      "team.models as team_models",
      "team.model_aliases as team_model_aliases",
      "team.tags as team_tags",
      "team.guardrails as team_guardrails",
      "team.rpm_limit as team_rpm_limit",
      "team.tpm_limit as team_tpm_limit",
      "team.max_parallel_requests as team_max_parallel_requests",
      "team.model_rpm_limits as team_model_rpm_limits",
      "team.model_tpm_limits as team_model_tpm_limits",
      "organization.name as organization_name",
      "organization.status as organization_status",
      "organization.models as organization_models",
      "organization.rpm_limit as organization_rpm_limit",
      "organization.tpm_limit as organization_tpm_limit",
      "organization.log_prompts as organization_log_prompts",
    ])
    .select((column) =>
      column
        .selectFrom("budgets as budget")
        .whereRef("budget.organization_id", "=", "key.organization_id")
        .where(sql<boolean>`(budget.scope, budget.scope_id) in (
            ('organization', key.organization_id), ('team', key.team_id), ('user', key.user_id::text), ('key', key.id))`)
        // Amounts as text, because JSON numbers would lose precision.
        .select(
          sql<StoredBudget[] | null>`json_agg(json_build_object('scope', budget.scope, 'scopeId', budget.scope_id,
            'amount', budget.amount::text, 'period', budget.period) order by budget.scope)`.as("list"),
        )
        .as("budgets"),
    )
    .select((column) =>
      column
        .selectFrom("price_list_entries as entry")
        .whereRef("entry.organization_id", "=", "key.organization_id")
        .select(
          sql<StoredEntry[] | null>`json_agg(json_build_object('modelGroup', entry.model_group,
            'shareMillionths', entry.share_millionths::text, 'fixedNanoUsd', entry.fixed_nano::text,
            'fixed', entry.fixed))`.as("list"),
        )
        .as("price_list"),
    );
}

/** Amounts as text, because JSON numbers would lose precision. */
interface StoredEntry {
  readonly modelGroup: string;
  readonly shareMillionths: string;
  readonly fixedNanoUsd: string;
  readonly fixed: StoredFixedPrice | null;
}
type StoredBudget = Omit<Budget, "amount"> & { readonly amount: string };
type KeyRow = Awaited<ReturnType<ReturnType<typeof selectKeyByHash>["executeTakeFirstOrThrow"]>>;

function toKeyRecord(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    name: row.name,
    userId: row.user_id,
    // The secret before a rotation may be older than its user's role.
    isOfAdministrator: row.is_of_administrator && row.grace_ends_at === null,
    disabledAt: row.disabled_at,
    revokedAt: row.revoked_at,
    expiresAt: row.expires_at,
    graceEndsAt: row.grace_ends_at,
    models: row.models,
    allowedRoutes: row.allowed_routes,
    aliases: row.aliases,
    tags: row.tags,
    guardrails: row.guardrails,
    limits: {
      rpm: row.rpm_limit,
      tpm: row.tpm_limit,
      maxParallel: row.max_parallel_requests,
      modelRpm: row.model_rpm_limits,
      modelTpm: row.model_tpm_limits,
    },
    metadata: row.metadata,
    team: {
      id: row.team_id,
      name: row.team_name,
      status: row.team_status,
      blockedReason: row.team_blocked_reason,
      models: row.team_models,
      modelAliases: row.team_model_aliases,
      tags: row.team_tags,
      guardrails: row.team_guardrails,
      limits: {
        rpm: row.team_rpm_limit,
        tpm: row.team_tpm_limit,
        maxParallel: row.team_max_parallel_requests,
        modelRpm: row.team_model_rpm_limits,
        modelTpm: row.team_model_tpm_limits,
      },
    },
    organization: {
      id: row.organization_id,
      name: row.organization_name,
      status: row.organization_status,
      models: row.organization_models,
      rpmLimit: row.organization_rpm_limit,
      tpmLimit: row.organization_tpm_limit,
      logPrompts: row.organization_log_prompts,
      priceList: (row.price_list ?? []).map(({ modelGroup, shareMillionths, fixedNanoUsd, fixed }) => ({
        modelGroup,
        terms: readTerms(BigInt(shareMillionths), BigInt(fixedNanoUsd), fixed),
      })),
    },
    budgets: (row.budgets ?? []).map((budget) => ({ ...budget, amount: BigInt(budget.amount) })),
  };
}
