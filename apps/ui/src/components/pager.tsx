import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { Button } from "./button.tsx";

interface PagerProps {
  readonly meta: {
    readonly page: number;
    readonly pageSize: number;
    readonly total: number;
    readonly totalPages: number;
  };
  readonly onPage: (page: number) => void;
  /** Plural noun: "users". */
  readonly what: string;
}

/** Shows the range and the total number of rows, with buttons for other pages. */
export function Pager({ meta: { page, pageSize, total, totalPages }, onPage, what }: PagerProps) {
  const first = Math.min(total, (page - 1) * pageSize + 1);
  const last = Math.min(total, page * pageSize);
  return (
    <div className="flex items-center gap-3">
      <span>
        {formatCount(first)} to {formatCount(last)} of {formatCount(total)} {what}
      </span>
      {totalPages > 1 && (
        <span className="ml-auto flex gap-2">
          <Button size="sm" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            Previous
          </Button>
          <Button size="sm" disabled={page >= totalPages} onClick={() => onPage(page + 1)}>
            Next
          </Button>
        </span>
      )}
    </div>
  );
}
