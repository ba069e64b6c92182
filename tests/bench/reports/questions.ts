import type { FilledOrganization } from "./fill-usage.ts";

export interface Question {
  readonly name: string;
  readonly kind: "logs" | "usage";
  readonly path: string;
  /** Asked by a member who sees one team only. */
  readonly asMember?: true;
}

/** What people ask of their usage: lists as the console shows them, and sums over a month. */
export function listQuestions({ teamIds, keyIds }: FilledOrganization, now: Date): Question[] {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const month = `startDate=${daysAgo(30)}`;
  const logs = (name: string, query: string): Question => ({ name, kind: "logs", path: `/api/gw/logs?${query}` });
  const sums = (name: string, query: string): Question => ({
    name,
    kind: "usage",
    path: `/api/gw/usage?${month}&${query}`,
  });
  return [
    logs("the first page", ""),
    logs("the first page of a month", `${month}&pageSize=100`),
    logs("a key", `${month}&apiKey=${keyIds[0]}`),
    logs("a key that is little used", `${month}&apiKey=${keyIds.at(-1)}`),
    logs("a rare model", `${month}&model=rare-model`),
    logs("a team", `${month}&teamId=${teamIds[1]}&pageSize=100`),
    { ...logs("a member's own team", month), asMember: true },
    logs("failures", `${month}&status=error`),
    logs("cancelled calls", `${month}&status=cancelled`),
    logs("costly calls", `${month}&minCost=1000000`),
    logs("a deep page", `${month}&page=1000&pageSize=100`),
    logs("a deep page of a key", `${month}&apiKey=${keyIds[0]}&page=900&pageSize=100`),
    logs("by cost, a week", "sort=-cost"),
    logs("by latency, a day", `startDate=${daysAgo(1)}&sort=-latencyMs`),
    logs("first bytes of a file", `${month}&format=csv`),
    sums("by day", "groupBy=day"),
    sums("by model", "groupBy=model"),
    sums("by day and model", "groupBy=day,model"),
    sums("by key", "groupBy=apiKey"),
    sums("by team of a model", "groupBy=team&model=model-1"),
    sums("by day, a key", `groupBy=day&apiKey=${keyIds[0]}`),
    sums("by hour", "groupBy=hour"),
    { ...sums("by day, a member's own team", "groupBy=day"), asMember: true },
  ];
}
