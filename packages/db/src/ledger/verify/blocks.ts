import { sql } from "kysely";
import { type Invariant, within } from "./invariant.ts";

export const blocksFollowBalance: Invariant = {
  id: "R7",
  title: "teams are blocked for a negative balance if and only if the balance is negative",
  checked: "teams",
  differences: (scope) => [
    sql`
      select teams.organization_id, teams.id as subject,
        case when quota.balance < 0 then 'blocked' else 'not blocked for a negative balance' end || ', balance ' || quota.balance
          as expected,
        teams.status || coalesce(', ' || teams.blocked_reason, '') as found, null::bigint as amount
      from teams join organization_quota quota on quota.organization_id = teams.organization_id
      where ((quota.balance < 0 and teams.status = 'active')
          or (quota.balance >= 0 and teams.status = 'blocked' and teams.blocked_reason = 'negative_balance'))
        and ${within(scope, "teams.organization_id")}`,
  ],
};
