import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { ChevronDown, ChevronRight } from "lucide-react";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";
import { isOver, momentOf, type ThreadRun } from "./assistant-objects.ts";
import { RunSteps } from "./run-steps.tsx";
import { endOf } from "./use-run-costs.ts";

interface ThreadRunsProps {
  readonly keyId: string;
  readonly threadId: string;
  readonly runs: readonly ThreadRun[];
  readonly costs: ReadonlyMap<string, bigint>;
  readonly openId: string;
  readonly onOpen: (runId: string) => void;
  readonly onCancel: (runId: string) => void;
}

const tones: Readonly<Record<string, Tone>> = {
  completed: "success",
  failed: "danger",
  incomplete: "warning",
  expired: "warning",
  requires_action: "warning",
};

/** Runs of a thread, newest first, with usage, cost, and expandable steps. */
export function ThreadRuns({ runs, ...props }: ThreadRunsProps) {
  if (runs.length === 0) return <p className="px-4 py-6 text-table text-muted">No runs yet.</p>;
  return (
    <ul aria-label="Runs">
      {runs.map((run) => (
        <Run key={run.id} run={run} {...props} />
      ))}
    </ul>
  );
}

function Run({
  run,
  keyId,
  threadId,
  costs,
  openId,
  onOpen,
  onCancel,
}: Omit<ThreadRunsProps, "runs"> & { run: ThreadRun }) {
  const { id, status, model, usage, last_error: error, incomplete_details: details } = run;
  const isOpen = id === openId;
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  const end = endOf(run);
  const cost = costs.get(id);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2 border-b border-hairline px-4 py-3 last:border-0">
      <div className="flex items-center gap-2">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => onOpen(isOpen ? "" : id)}
          className="flex min-h-6 min-w-0 items-center gap-1.5 text-table font-medium"
        >
          <Chevron size={14} strokeWidth={1.5} aria-hidden className="flex-none" />
          <span className="truncate">{model}</span>
        </button>
        <span className="ml-auto">
          <Badge tone={tones[status] ?? "info"}>{status.replaceAll("_", " ")}</Badge>
        </span>
      </div>
      <dl className="flex flex-wrap gap-x-4 gap-y-1 text-meta [&_dt]:mr-1 [&_dt]:inline [&_dt]:text-muted [&_dd]:inline">
        <div>
          <dt>Started</dt>
          <dd>
            <Time at={momentOf(run.created_at)} form="relative" />
          </dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd>
            {usage === null
              ? "pending"
              : `${formatCount(usage.prompt_tokens)} in, ${formatCount(usage.completion_tokens)} out`}
          </dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>
            {cost === undefined ? (
              <span className="text-muted">{isOver(run) ? "not in the logs" : "pending"}</span>
            ) : (
              <Money nano={cost} />
            )}
          </dd>
        </div>
        {end !== null && run.started_at !== null && (
          <div>
            <dt>Duration</dt>
            <dd>{end === run.started_at ? "under 1 s" : formatDuration((end - run.started_at) * 1_000)}</dd>
          </div>
        )}
      </dl>
      {error !== null && <p className="text-meta text-danger wrap-anywhere">{error.message}</p>}
      {details !== null && <p className="text-meta text-warning">Stopped at {details.reason.replaceAll("_", " ")}.</p>}
      {isOpen && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <RunSteps keyId={keyId} threadId={threadId} runId={id} status={status} />
          <div className="flex flex-wrap items-center gap-3 text-meta">
            <span className="truncate font-mono text-muted">{id}</span>
            <Link to="/logs" search={{ search: id }} className="ml-auto text-accent hover:underline">
              View requests in logs
            </Link>
          </div>
        </div>
      )}
      {!isOver(run) && (
        <div>
          <Button size="sm" variant="danger" onClick={() => onCancel(id)}>
            Cancel run
          </Button>
        </div>
      )}
    </li>
  );
}
