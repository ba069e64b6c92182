import { Button } from "../../components/button.tsx";
import { formatTime } from "../../format/time.ts";
import { describeSearch } from "./describe-search.ts";
import type { LogList } from "./use-log-list.ts";

interface SearchNoticeProps {
  readonly list: LogList;
  readonly zone: string;
}

/** Status of a search in stored contents: how far it searched, and a button to go on. */
export function SearchNotice({ list, zone }: SearchNoticeProps) {
  const isSearching = list.isPlaceholderData || list.isFetchingNextPage;
  const searches = (list.data?.pages ?? []).flatMap(({ meta }) => meta.searched ?? []);
  const until = searches.at(-1)?.until;
  const backTo = list.hasNextPage && until !== undefined ? formatTime(until, "minute", zone) : null;
  return (
    <div
      role="status"
      className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 rounded-control border border-border bg-surface px-3 py-1 text-table"
    >
      <span>{isSearching ? "Searching stored prompts and responses" : describeSearch(searches, backTo)}</span>
      {list.hasNextPage && (
        <span className="ml-auto">
          <Button size="sm" busy={isSearching} onClick={() => void list.fetchNextPage()}>
            Search further
          </Button>
        </span>
      )}
    </div>
  );
}
