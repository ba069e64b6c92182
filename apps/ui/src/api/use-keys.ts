import { useCall } from "./queries.ts";

export interface UsableKey {
  readonly id: string;
  readonly name: string;
  readonly team: string;
  readonly lastFour: string;
  /** Null allows all models. */
  readonly models: readonly string[] | null;
}

/** Returns the keys that the user can call models with. */
export function useKeys() {
  const query = useCall("listApiKeys", { query: { pageSize: 100, status: ["active"] } }, { staleMs: 60_000 });
  const teams = useCall("listTeams", { query: { pageSize: 100 } }, { staleMs: 60_000 });
  const names = new Map(teams.data?.data.map(({ id, name }) => [id, name]));
  const keys: readonly UsableKey[] = (query.data?.data ?? []).map((key) => ({
    id: key.id,
    name: key.name,
    team: names.get(key.team_id) ?? "",
    lastFour: key.token?.slice(-4) ?? "",
    models: key.models,
  }));
  return { query, keys };
}
