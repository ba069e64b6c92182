import type { ReactNode } from "react";

interface EmptyStateProps {
  readonly title: string;
  /** One-sentence description. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  /** Code that creates the first item. */
  readonly code?: ReactNode;
}

/** Placeholder for a feature that hasn't been used yet. Says what the feature is, and what to do next. */
export function EmptyState(props: EmptyStateProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-6 py-8 max-w-[720px] max-sm:px-4">
      <div className="grid gap-1">
        <h2 className="text-section font-semibold">{props.title}</h2>
        <div className="text-body text-muted">{props.children}</div>
      </div>
      {props.action ? <div className="flex flex-wrap gap-2">{props.action}</div> : null}
      {props.code}
    </div>
  );
}
