import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { client } from "../../api/client.ts";
import type { LogsQuery } from "./log-query.ts";

const PAGE_SIZE = 50;

interface Place {
  readonly page?: number;
  readonly cursor?: string;
}

/**
 * Returns the matching requests by page. The histogram comes with the first page, so opening the list takes only one
 * request.
 */
export function useLogList(query: LogsQuery) {
  return useInfiniteQuery({
    queryKey: ["listLogs", "pages", query],
    initialPageParam: {} as Place,
    queryFn: ({ pageParam, signal }) =>
      client.call("listLogs", {
        query: {
          ...query,
          ...pageParam,
          pageSize: PAGE_SIZE,
          ...(Object.keys(pageParam).length === 0 && { include: ["histogram"] as const }),
        },
        signal,
      }),
    // The cursor continues after the page's last row, even if rows have been inserted before that row.
    getNextPageParam: ({ meta }): Place | undefined => {
      if (meta.nextCursor !== null) return { cursor: meta.nextCursor };
      return meta.page < meta.totalPages ? { page: meta.page + 1 } : undefined;
    },
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
}
