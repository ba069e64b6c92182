import type { ManagedKey } from "@tollgate/db/keys/managed-keys.ts";
import type { ManagedTeam } from "@tollgate/db/teams/managed-teams.ts";
import { usdNumber } from "@tollgate/domain/exact-number.ts";
import { showPeriod } from "./read-fields.ts";

/** Describes a key with LiteLLM's field names. */
export function describeKey(key: ManagedKey): Record<string, unknown> {
  return {
    token: key.tokenHash,
    token_id: key.id,
    key_name: `sk-...${key.lastFour}`,
    key_alias: key.name,
    team_id: key.teamId,
    user_id: key.userId === null ? null : String(key.userId),
    organization_id: key.organizationId,
    ...describeLimits(key, key.isDisabled),
    aliases: key.aliases,
    allowed_routes: key.allowedRoutes ?? [],
    expires: timeOf(key.expiresAt),
    last_used: timeOf(key.lastUsedAt),
  };
}

/** Describes a team with LiteLLM's field names. */
export function describeTeam(team: ManagedTeam): Record<string, unknown> {
  return {
    team_id: team.id,
    team_alias: team.name,
    organization_id: team.organizationId,
    ...describeLimits(team, team.status === "blocked"),
    model_aliases: team.modelAliases,
    members_with_roles: team.members.map(({ userId, email, role }) => ({
      user_id: String(userId),
      user_email: email,
      role: role === "admin" ? "admin" : "user",
    })),
  };
}

function timeOf(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}

function describeLimits(record: ManagedKey | ManagedTeam, isBlocked: boolean): Record<string, unknown> {
  const { limits, budget } = record;
  return {
    models: record.models,
    spend: usdNumber(budget?.spent ?? record.spent),
    max_budget: budget === null ? null : usdNumber(budget.limit),
    budget_duration: budget === null ? null : showPeriod(budget.period),
    budget_reset_at: timeOf(budget?.resetsAt ?? null),
    rpm_limit: limits.rpm,
    tpm_limit: limits.tpm,
    max_parallel_requests: limits.maxParallel,
    model_rpm_limit: limits.modelRpm,
    model_tpm_limit: limits.modelTpm,
    metadata: record.metadata,
    tags: record.tags,
    guardrails: record.guardrails,
    blocked: isBlocked,
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
  };
}
