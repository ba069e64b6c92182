import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { describeError } from "./describe-error.ts";
import { ErrorNotice } from "./error-notice.tsx";
import { NotAllowed } from "./not-allowed.tsx";
import { Skeleton } from "./skeleton.tsx";

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data, Error>;
  /** Subject of a sentence about what is loading: "Usage", "The key list". */
  readonly what?: string;
  /** The layout without data, shown while loading. */
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** Delay before a loading indicator appears, so that fast responses don't cause flicker. */
const PATIENCE_MS = 150;

/** Renders a query's data. Old data stays visible while new data is loading and if loading fails. */
export function Loaded<Data>(props: LoadedProps<Data>) {
  const { query, what = "This section" } = props;
  const isLate = useLate(query.isFetching);
  const { data } = query;
  const isRefused = query.error !== null && describeError(query.error).isNotAllowed;
  if (isRefused) return <NotAllowed what={what} error={query.error} />;
  const notice = query.isError ? (
    <ErrorNotice error={query.error} what={what} onRetry={() => void query.refetch()} />
  ) : null;
  if (data === undefined) {
    if (notice !== null) return notice;
    return <div aria-busy="true">{isLate ? (props.skeleton ?? <Skeleton lines={4} />) : null}</div>;
  }
  return (
    <div aria-busy={query.isFetching} className="relative grid grid-cols-[minmax(0,1fr)] gap-[inherit] min-w-0">
      {isLate ? <RefreshLine /> : null}
      {notice}
      {props.children(data)}
    </div>
  );
}

/** Two-pixel line above content that is being refetched. */
function RefreshLine() {
  return (
    <div aria-hidden className="absolute inset-x-0 -top-px z-[3] h-[2px] overflow-hidden rounded-full">
      <div className="w-1/3 h-full ml-[12%] bg-accent motion-safe:animate-pulse" />
    </div>
  );
}

function useLate(isWaiting: boolean): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    setIsLate(false);
    if (!isWaiting) return;
    const timer = setTimeout(() => setIsLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return isLate;
}
