import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { useEffect } from "react";
import { useConfig } from "../api/config.ts";
import { CodeBlock } from "./code-block.tsx";
import { quickStartCode } from "./quick-start-code.ts";
import { TimingBar } from "./timing-bar.tsx";
import { type SeenCall, useNextCall } from "./use-next-call.ts";

interface QuickStartProps {
  /** Secret of a key that was just created. */
  readonly apiKey?: string | null;
  /** Waits only for requests with this key. */
  readonly apiKeyId?: string | null;
  readonly model: string;
  readonly onFirstRequest?: (call: SeenCall) => void;
}

/** Code for a first request, and a line that waits for the request and then shows its timing bar. */
export function QuickStart({ apiKey = null, apiKeyId = null, model, onFirstRequest }: QuickStartProps) {
  const { apiUrl, keyHeader } = useConfig();
  const { call, isWatching } = useNextCall(true, apiKeyId);
  useEffect(() => {
    if (call !== null) onFirstRequest?.(call);
  }, [call, onFirstRequest]);
  return (
    <div className="grid grid-cols-1 gap-3">
      <CodeBlock tabs={quickStartCode({ apiUrl, keyHeader, apiKey, model })} />
      <div role="status" className="text-table">
        {call === null ? <Waiting isWatching={isWatching} /> : <FirstCall call={call} />}
      </div>
    </div>
  );
}

function Waiting({ isWatching }: { readonly isWatching: boolean }) {
  return (
    <p className="flex items-center gap-2 text-muted">
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${isWatching ? "bg-accent motion-safe:animate-pulse" : "inset-ring-[1.5px] inset-ring-outline"}`}
      />
      {isWatching
        ? "Waiting for your first request"
        : "Live updates are unavailable. Your request will appear in Logs."}
    </p>
  );
}

function FirstCall({ call }: { readonly call: SeenCall }) {
  const { timing, latencyMs, cost, class: outcome, httpStatus, model, errorCode, id } = call;
  return (
    <div className="grid gap-2">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">
          {outcome === "succeeded" ? "Your first request arrived" : `Your request failed with ${httpStatus}`}
        </span>
        <span className="text-muted">
          {model}, {formatDuration(latencyMs)}, {errorCode ?? formatMoney(cost)}
        </span>
        <Link to="/logs/$callId" params={{ callId: id }} className="ml-auto text-accent hover:underline">
          Open in Logs
        </Link>
      </p>
      <TimingBar timing={timing} latencyMs={latencyMs} class={outcome} cost={cost} size="md" />
    </div>
  );
}
