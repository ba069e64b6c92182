import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { type ReactNode, useEffect } from "react";
import { client } from "../../api/client.ts";
import { TimingBar } from "../../components/timing-bar.tsx";
import { nameProvider } from "../../format/model-names.ts";
import { formatRequestCost } from "../../format/money.ts";

type Log = Operations["getLog"]["answer"]["log"];

/**
 * Polling attempts and interval for the recorded usage, which becomes available at most two seconds after a request
 * finishes.
 */
const TRIES = 15;
const PAUSE_MS = 600;
/** Minimum generation time for a meaningful tokens-per-second value. */
const LEAST_GENERATION_MS = 20;

/** Timing and cost of a request once its usage is recorded: the same values as in Logs. */
export function CallFigures({ callId }: { readonly callId: string }) {
  const queries = useQueryClient();
  const log = useQuery({
    queryKey: ["bookedCall", callId],
    queryFn: ({ signal }) => findCall(callId, signal),
    retry: (failures) => failures < TRIES,
    retryDelay: PAUSE_MS,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isThere = log.data !== undefined;
  useEffect(() => {
    if (isThere) void queries.invalidateQueries({ queryKey: ["getBurnRate"] });
  }, [isThere, queries]);
  if (log.isError) {
    return (
      <p className="text-meta text-muted">
        Usage not recorded yet.{" "}
        <button type="button" className="text-accent hover:underline" onClick={() => void log.refetch()}>
          Check again
        </button>
      </p>
    );
  }
  if (log.data === undefined) return <p className="text-meta text-muted">Waiting for usage…</p>;
  return <Figures log={log.data} />;
}

/** Finds the request through the log list, where a missing request isn't an API error. */
async function findCall(callId: string, signal: AbortSignal): Promise<Log> {
  const { data } = await client.call("listLogs", { query: { requestId: [callId], pageSize: 1 }, signal });
  const [row] = data;
  if (row === undefined) throw new Error("Usage hasn't been recorded yet.");
  return (await client.call("getLog", { params: { id: row.id }, signal })).log;
}

function Figures({ log }: { readonly log: Log }) {
  const { timing, latencyMs, cost, costLines, class: outcome, promptTokens, completionTokens } = log;
  const firstToken = log.timeToFirstTokenMs;
  const generation = timing?.generationMs ?? 0;
  return (
    <div className="grid gap-2">
      <TimingBar timing={timing} latencyMs={latencyMs} class={outcome} cost={cost} costLines={costLines} size="md" />
      <dl className="flex flex-wrap gap-x-4 gap-y-1 text-meta">
        <div>
          <dt className="text-muted">Cost</dt>
          <dd className="text-table font-semibold" title={formatExactMoney(cost)}>
            <Link to="/logs/$callId" params={{ callId: log.id }} className="hover:underline">
              {formatRequestCost(cost)}
            </Link>
          </dd>
        </div>
        <Figure name="Total">{formatDuration(latencyMs)}</Figure>
        {firstToken !== null && <Figure name="First token">{formatDuration(firstToken)}</Figure>}
        <Figure name="Tokens">{`${formatCount(promptTokens)} in, ${formatCount(completionTokens)} out`}</Figure>
        {generation >= LEAST_GENERATION_MS && completionTokens > 1 && (
          <Figure name="Speed">{`${formatCount(Math.round((completionTokens / generation) * 1_000))} tokens/s`}</Figure>
        )}
        {log.provider !== null && <Figure name="Served by">{nameProvider(log.provider)}</Figure>}
      </dl>
    </div>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className="text-muted">{name}</dt>
      <dd className="text-table font-semibold">{children}</dd>
    </div>
  );
}
