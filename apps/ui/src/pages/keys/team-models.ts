import type { Team } from "./api-key.ts";

interface HubModel {
  readonly id: string;
  readonly providers: readonly string[];
  readonly available: boolean | null;
}

/** Returns the models available to keys of this team: hub models that the team's list allows. */
export function teamModels<Model extends HubModel>(models: readonly Model[], team: Team | undefined): readonly Model[] {
  const usable = models.filter(({ available }) => available !== false);
  const list = team?.models ?? null;
  if (list === null || list.includes("all-proxy-models")) return usable;
  return usable.filter(({ id }) => list.some((entry) => entry === id || matches(entry, id)));
}

function matches(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return false;
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.at(-1) ?? "";
  return name.length >= first.length + last.length && name.startsWith(first) && name.endsWith(last);
}
