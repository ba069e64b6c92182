import { type RateLimits, toLimitColumns } from "../rate-limits.ts";
import type { TenantTransaction } from "../tenancy.ts";

export interface NewTeam {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly models?: readonly string[];
  readonly modelAliases?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly guardrails?: readonly string[];
  readonly limits?: Partial<RateLimits>;
  readonly metadata?: Readonly<Record<string, unknown>>;
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
      metadata: { ...team.metadata },
      ...toLimitColumns(team.limits),
    })
    .execute();
}
