import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Progress of an organization's onboarding steps. */
export interface OnboardingState {
  /** Name of the first key created; null if there is none. */
  readonly firstKeyName: string | null;
  readonly hasCalled: boolean;
  readonly hasCredit: boolean;
  readonly hasCompany: boolean;
  readonly hasAlert: boolean;
  readonly skipped: readonly string[];
  readonly isDismissed: boolean;
}

/** Derives the progress from existing data: keys, calls, credit, members, and the low-balance threshold. */
export async function readOnboarding(transaction: TenantTransaction, organizationId: string): Promise<OnboardingState> {
  const { rows } = await sql<OnboardingState>`
    select
      (select name from api_keys where organization_id = ${organizationId} order by created_at, id limit 1) as "firstKeyName",
      exists (select from usage_rollups where organization_id = ${organizationId} and requests > errors + canceled) as "hasCalled",
      exists (
        select from organization_quota where organization_id = ${organizationId} and total_purchased + total_granted > 0
      ) as "hasCredit",
      exists (select from organization_members where organization_id = ${organizationId} offset 1)
        or exists (select from invitations where organization_id = ${organizationId} and status = 'pending') as "hasCompany",
      exists (
        select from organization_quota where organization_id = ${organizationId} and low_balance_threshold is not null
      ) as "hasAlert",
      coalesce((select skipped from organization_onboarding where organization_id = ${organizationId}), '{}') as skipped,
      exists (select from organization_onboarding where organization_id = ${organizationId} and is_dismissed) as "isDismissed"
  `.execute(transaction);
  return rows[0] as OnboardingState;
}

interface OnboardingChange {
  readonly skip?: string | undefined;
  readonly isDismissed?: boolean | undefined;
}

/** Records that a step was skipped, or that the list was dismissed or restored. */
export async function changeOnboarding(
  transaction: TenantTransaction,
  organizationId: string,
  { skip, isDismissed }: OnboardingChange,
  now: Date,
): Promise<void> {
  const skipped = skip === undefined ? [] : [skip];
  await sql`
    insert into organization_onboarding as o (organization_id, skipped, is_dismissed, updated_at)
    values (${organizationId}, ${skipped}, ${isDismissed ?? false}, ${now})
    on conflict (organization_id) do update set
      skipped = array(select distinct unnest(o.skipped || excluded.skipped)),
      is_dismissed = coalesce(${isDismissed ?? null}::boolean, o.is_dismissed),
      updated_at = excluded.updated_at`.execute(transaction);
}
