import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { client } from "../../api/client.ts";
import type { LogsQuery } from "./log-query.ts";

const PAGE_SIZE = 50;

interface Place {
  readonly page?: number;
  readonly cursor?: string;
}

export type LogList = ReturnType<typeof useLogList>;

/**
 * Returns the matching requests by page. The histogram comes with the first page, so opening the list takes only one
 * request. A search in stored contents has no histogram and is not repeated on its own, because the server decrypts the
 * contents and records each search.
 */
export function useLogList(query: LogsQuery) {
  const isSearch = query.content !== undefined;
  return useInfiniteQuery({
    queryKey: ["listLogs", "pages", query],
    initialPageParam: {} as Place,
    queryFn: ({ pageParam, signal }) =>
      client.call("listLogs", {
        query: {
          ...query,
          ...pageParam,
          pageSize: PAGE_SIZE,
          ...(Object.keys(pageParam).length === 0 && !isSearch && { include: ["histogram"] as const }),
        },
        signal,
      }),
    // The cursor continues after the page's last row, even if rows have been inserted before that row.
    getNextPageParam: ({ meta }): Place | undefined => {
      if (meta.nextCursor !== null) return { cursor: meta.nextCursor };
      return meta.page < meta.totalPages ? { page: meta.page + 1 } : undefined;
    },
    placeholderData: keepPreviousData,
    staleTime: isSearch ? Number.POSITIVE_INFINITY : 5_000,
  });
}
