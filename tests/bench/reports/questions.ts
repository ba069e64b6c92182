import type { FilledOrganization } from "./fill-usage.ts";

export interface Question {
  readonly name: string;
  /** `strip` is the comparison of three cost sources, which a page requests after everything else has loaded. */
  readonly kind: "logs" | "usage" | "strip";
  readonly path: string;
  /** If true, requests the next page instead of the page at the path. */
  readonly isNextPage?: true;
  /** If true, a member who sees only one team sends the request. */
  readonly asMember?: true;
}

/** Returns typical usage queries: the lists that the console shows, and aggregates over a month. */
export function listQuestions({ teamIds, keyIds }: FilledOrganization, now: Date): Question[] {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  const month = `startDate=${daysAgo(30)}`;
  const logs = (name: string, query: string): Question => ({ name, kind: "logs", path: `/api/gw/logs?${query}` });
  const sums = (name: string, query: string): Question => ({
    name,
    kind: "usage",
    path: `/api/gw/usage?${month}&${query}`,
  });
  const performance = (name: string, hours: number): Question => ({
    name: `performance, ${name}`,
    kind: "usage",
    path: `/api/gw/performance?hours=${hours}`,
  });
  return [
    logs("the first page", ""),
    logs("the first page of a month", `${month}&pageSize=100`),
    logs("a key", `${month}&apiKey=${keyIds[0]}`),
    logs("a key that is little used", `${month}&apiKey=${keyIds.at(-1)}`),
    logs("a rare model", `${month}&model=rare-model`),
    logs("a team", `${month}&teamId=${teamIds[1]}&pageSize=100`),
    { ...logs("a member's own team", month), asMember: true },
    logs("failures", `${month}&class=failed`),
    logs("canceled calls", `${month}&class=canceled`),
    logs("costly calls", `${month}&minCost=1000000`),
    logs("a deep page", `${month}&page=1000&pageSize=100`),
    logs("a deep page of a key", `${month}&apiKey=${keyIds[0]}&page=900&pageSize=100`),
    logs("by cost, a week", "sort=-cost"),
    logs("by latency, a day", `startDate=${daysAgo(1)}&sort=-latencyMs`),
    logs("first bytes of a file", `${month}&format=csv`),
    logs("as the console opens them", "include=histogram&pageSize=50"),
    logs("a month as the console opens it", `${month}&include=histogram&pageSize=50`),
    { ...logs("the next page", `${month}&include=histogram&pageSize=50`), isNextPage: true },
    { ...logs("the next page of failures", `${month}&class=failed&pageSize=50`), isNextPage: true },
    logs("a model, with its bars", `${month}&model=model-1&include=histogram&pageSize=50`),
    logs("slow calls", `${month}&minLatencyMs=20000`),
    logs("calls of a code", `${month}&errorCode=timeout`),
    logs("a part of a code", `${month}&search=rate_lim&include=histogram`),
    logs("a request that there is not", `${month}&search=nothing-begins-so`),
    sums("by day", "groupBy=day"),
    sums("by model", "groupBy=model"),
    sums("by day and model", "groupBy=day,model"),
    sums("by key", "groupBy=apiKey"),
    sums("by team of a model", "groupBy=team&model=model-1"),
    sums("by day, a key", `groupBy=day&apiKey=${keyIds[0]}`),
    sums("by hour", "groupBy=hour"),
    { ...sums("by day, a member's own team", "groupBy=day"), asMember: true },
    sums("by day and model in Kolkata", "groupBy=day,model&timezone=Asia/Kolkata"),
    sums("by day and model in Prague", "groupBy=day,model&timezone=Europe/Prague"),
    sums("by hour in Kolkata", "groupBy=hour&timezone=Asia/Kolkata"),
    sums("by day and the month before", "groupBy=day,model&compare=previous"),
    { name: "three books of a month", kind: "strip", path: `/api/gw/usage/reconcile?${month}` },
    performance("a day", 24),
    performance("a week", 168),
    performance("a month", 720),
    { ...performance("a member's month", 720), asMember: true },
  ];
}
