import { NO_SUMS, type Rows, type Sums } from "./read-rows.ts";

/** A key with the figures that its rows have. */
export interface KeyFigures {
  readonly id: string;
  readonly name: string;
  readonly teamId: string;
  readonly teamName: string;
  readonly state: "active" | "cap_reached";
  readonly total: Sums;
  readonly thisMonth: Sums;
  readonly today: Sums;
  /** Null without a budget. */
  readonly budget: { readonly limit: bigint; readonly spent: bigint } | null;
}

/** A team with the figures that its rows have. */
export interface TeamFigures {
  readonly id: string;
  readonly name: string;
  readonly members: number;
  readonly keys: number;
  readonly thisMonth: Sums;
  readonly budget: { readonly limit: bigint; readonly spent: bigint } | null;
}

export interface Accounts {
  readonly keys: readonly KeyFigures[];
  readonly teams: readonly TeamFigures[];
  readonly members: number;
}

interface BudgetRow {
  readonly scope: string;
  readonly scope_id: string;
  readonly amount: string;
  readonly period: "none" | "daily" | "monthly";
}

/** Reads the keys, teams, and members of an organization. Budgets and months are in UTC. */
export async function readAccounts(rows: Rows, organizationId: string, now: Date): Promise<Accounts> {
  const of = `organization_id = '${organizationId}'`;
  const [keys, teams, budgets, members] = await Promise.all([
    rows.query<{ id: string; name: string; team_id: string }>(
      `select id, name, team_id from api_keys where ${of} and revoked_at is null order by name`,
    ),
    rows.query<{ id: string; name: string; members: number; keys: number }>(
      `select id, name, (select count(*) from team_members where team_id = teams.id)::float8 as members,
              (select count(*) from api_keys where team_id = teams.id and revoked_at is null)::float8 as keys
         from teams where ${of} and deleted_at is null order by name`,
    ),
    rows.query<BudgetRow>(`select scope, scope_id, amount::text as amount, period from budgets where ${of}`),
    rows.query<{ count: number }>(`select count(*)::float8 as count from organization_members where ${of}`),
  ]);
  const to = new Date(now.getTime() + 3_600_000);
  const starts = {
    none: new Date(0),
    monthly: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
    daily: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())),
  };
  const since = async (period: keyof typeof starts, column: "key" | "team") => {
    const sums = await rows.sumBy(column, { from: starts[period], to });
    return (id: string) => sums.find(({ name }) => name === id) ?? NO_SUMS;
  };
  const [total, thisMonth, today] = [
    await since("none", "key"),
    await since("monthly", "key"),
    await since("daily", "key"),
  ];
  const spentOf = {
    key: { none: total, monthly: thisMonth, daily: today },
    team: {
      none: await since("none", "team"),
      monthly: await since("monthly", "team"),
      daily: await since("daily", "team"),
    },
  };
  const budgetOf = (scope: "key" | "team", id: string) => {
    const row = budgets.find((each) => each.scope === scope && each.scope_id === id);
    return row === undefined ? null : { limit: BigInt(row.amount), spent: spentOf[scope][row.period](id).cost };
  };
  return {
    keys: keys.map(({ id, name, team_id: teamId }) => {
      const budget = budgetOf("key", id);
      const state = budget !== null && budget.spent >= budget.limit ? "cap_reached" : "active";
      const teamName = teams.find((team) => team.id === teamId)?.name ?? "";
      return {
        id,
        name,
        teamId,
        teamName,
        state,
        total: total(id),
        thisMonth: thisMonth(id),
        today: today(id),
        budget,
      };
    }),
    teams: teams.map((team) => ({
      ...team,
      thisMonth: spentOf.team.monthly(team.id),
      budget: budgetOf("team", team.id),
    })),
    members: members[0]?.count ?? 0,
  };
}
