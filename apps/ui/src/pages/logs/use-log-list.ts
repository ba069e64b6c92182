import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { client } from "../../api/client.ts";
import type { LogsQuery } from "./log-query.ts";

const PAGE_SIZE = 50;

interface Place {
  readonly page?: number;
  readonly cursor?: string;
}

/** The calls that match, page after page. The bars come with the first page, so that opening the list is one request. */
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
    // A cursor goes on where the page ended, whatever came in front of it meanwhile.
    getNextPageParam: ({ meta }): Place | undefined => {
      if (meta.nextCursor !== null) return { cursor: meta.nextCursor };
      return meta.page < meta.totalPages ? { page: meta.page + 1 } : undefined;
    },
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
}
