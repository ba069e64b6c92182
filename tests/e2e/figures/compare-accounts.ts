import type { Comparison } from "./comparison.ts";
import type { Seeded } from "./figures-test.ts";
import { readAccounts } from "./read-accounts.ts";

/** Compares keys, teams, members, and organizations of the management API. */
export async function compareAccounts(comparison: Comparison, seeded: Seeded): Promise<void> {
  const { platform, rows, organizationId, now } = seeded;
  const accounts = await readAccounts(rows, organizationId, now);
  const { data: keys, meta } = await platform.call("listApiKeys", { query: { pageSize: 100 } });
  comparison.compare("API keys", "number", meta.total, accounts.keys.length);
  for (const { id, name, state, total, thisMonth, today, budget } of accounts.keys) {
    const key = keys.find((each) => each.id === id);
    comparison.compare("API keys", `${name}, state`, key?.state, state);
    comparison.compare("API keys", `${name}, spend`, key?.usage.total, total.cost);
    comparison.compare("API keys", `${name}, spend this month`, key?.usage.monthly, thisMonth.cost);
    comparison.compare("API keys", `${name}, spend today`, key?.usage.daily, today.cost);
    comparison.compare("API keys", `${name}, budget`, key?.budget?.limit, budget?.limit);
    comparison.compare("API keys", `${name}, budget used`, key?.budget?.spent, budget?.spent);
  }
  const { data: teams, meta: teamMeta } = await platform.call("listTeams", { query: { pageSize: 100 } });
  comparison.compare("API teams", "number", teamMeta.total, accounts.teams.length);
  for (const { id, name, members, keys: keyCount, budget } of accounts.teams) {
    const team = teams.find((each) => each.id === id);
    comparison.compare("API teams", `${name}, members`, team?.memberCount, members);
    comparison.compare("API teams", `${name}, keys`, team?.keyCount, keyCount);
    comparison.compare("API teams", `${name}, budget`, team?.budget?.limit, budget?.limit);
    comparison.compare("API teams", `${name}, budget used`, team?.budget?.spent, budget?.spent);
  }
  const members = await platform.call("listOrganizationMembers", { params: { id: organizationId } });
  comparison.compare("API members", "number", members.meta.total, accounts.members);
  const total = accounts.keys.reduce((sum, key) => sum + key.total.cost, 0n);
  const { data: organizations } = await platform.call("listAdminOrganizations", { query: { pageSize: 100 } });
  const own = organizations.find(({ id }) => id === organizationId);
  comparison.compare("API organizations", "spend", own?.spent, total);
  comparison.compare("API organizations", "members", own?.memberCount, accounts.members);
  comparison.compare("API organizations", "teams", own?.teamCount, accounts.teams.length);
  comparison.compare("API organizations", "keys", own?.keyCount, accounts.keys.length);
  const { data: users } = await platform.call("listUsers", { query: { pageSize: 100 } });
  const makers = await rows.query<{ id: number; spent: string }>(`
    select users.id, coalesce(sum(cost), 0)::text as spent from users left join api_keys on api_keys.user_id = users.id
      left join usage_events on key_id = api_keys.id group by 1`);
  for (const { id, spent } of makers) {
    comparison.compare("API users", `user ${id}, spend`, users.find((user) => user.id === id)?.spent, BigInt(spent));
  }
}
