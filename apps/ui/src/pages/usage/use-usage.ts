import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Operations } from "@tollgate/sdk/platform";
import { client } from "../../api/client.ts";
import { type ChartColumn, dayColumns, hourColumns } from "../../charts/chart-column.ts";
import { type Dimension, groupingOf, type UsageReport } from "./usage-view.ts";

type UsageQuery = NonNullable<Operations["getUsage"]["query"]>;
export type UsageFilter = Pick<
  UsageQuery,
  "startDate" | "endDate" | "timezone" | "model" | "provider" | "teamId" | "apiKey" | "userId"
>;

/** A response with its query. The page shows the response while the next response is loading. */
export interface Usage {
  readonly report: UsageReport;
  readonly grouping: "day" | "hour";
  readonly dimension: Dimension;
  readonly columns: readonly ChartColumn[];
}

interface UsageOptions {
  readonly enabled?: boolean;
  /** True if the range extends to now. Such a range is refetched periodically. */
  readonly isLive?: boolean;
}

const REFRESH_MS = 60_000;

/** Returns usage over time by dimension. */
export function useUsage(
  filter: UsageFilter,
  grouping: "day" | "hour",
  dimension: Dimension,
  { enabled = true, isLive = false }: UsageOptions = {},
): UseQueryResult<Usage, Error> {
  const query: UsageQuery = {
    ...filter,
    groupBy: dimension === "none" ? [grouping] : [grouping, groupingOf[dimension]],
  };
  return useQuery({
    queryKey: ["getUsage", query, dimension],
    queryFn: async ({ signal }): Promise<Usage> => {
      const report = await client.call("getUsage", { query, signal });
      const { startDate, endDate, timezone } = report.meta;
      const columnsOf = grouping === "day" ? dayColumns : hourColumns;
      return { report, grouping, dimension, columns: columnsOf(startDate, endDate, timezone) };
    },
    enabled,
    staleTime: 5_000,
    refetchInterval: isLive ? REFRESH_MS : false,
    placeholderData: keepPreviousData,
  });
}
