import type { Database } from "./connect.ts";
import { type RateLimits, toLimitColumns } from "./rate-limits.ts";
import type { TenantTransaction } from "./tenancy.ts";

export interface NewTeam {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly models?: readonly string[];
  readonly modelAliases?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly guardrails?: readonly string[];
  readonly limits?: Partial<RateLimits>;
}

/** A team and the models it may use, or null when there is none. */
export async function findTeam(
  db: Database,
  id: string,
): Promise<{ readonly id: string; readonly models: readonly string[] } | null> {
  const row = await db.selectFrom("teams").select(["id", "models"]).where("id", "=", id).executeTakeFirst();
  return row ?? null;
}

/** Adds an active team. */
export async function insertTeam(transaction: TenantTransaction, team: NewTeam): Promise<void> {
  await transaction
    .insertInto("teams")
    .values({
      id: team.id,
      organization_id: team.organizationId,
      name: team.name,
      models: [...(team.models ?? [])],
      model_aliases: { ...team.modelAliases },
      tags: [...(team.tags ?? [])],
      guardrails: [...(team.guardrails ?? [])],
      ...toLimitColumns(team.limits),
    })
    .execute();
}

/** Blocks a team: its keys are refused from now on, running calls finish. A team that is blocked already keeps its first reason. */
export async function blockTeam(
  transaction: TenantTransaction,
  teamId: string,
  reason: string,
  now: Date,
): Promise<void> {
  await transaction
    .updateTable("teams")
    .set({ status: "blocked", blocked_reason: reason, blocked_at: now, updated_at: now })
    .where("id", "=", teamId)
    .where("status", "=", "active")
    .execute();
}
