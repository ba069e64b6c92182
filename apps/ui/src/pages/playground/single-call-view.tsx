import type { CostQuote } from "@tollgate/sdk/gateway";
import { Square } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { Panel } from "../../components/panel.tsx";
import { BalanceLeft } from "./balance-left.tsx";
import { CallFailure } from "./call-failure.tsx";
import { CallFigures } from "./call-figures.tsx";
import { CostEstimate } from "./cost-estimate.tsx";
import { PlaygroundFrame } from "./playground-frame.tsx";
import type { SingleCall } from "./use-single-call.ts";
import { useTypicalCosts } from "./use-typical-costs.ts";
import { type ShownCall, ViewCode } from "./view-code.tsx";

interface SingleCallViewProps<Data> {
  readonly call: SingleCall<Data>;
  readonly code: ShownCall;
  readonly sendLabel: string;
  /** Reason why sending is disabled. */
  readonly heldBecause: string | null;
  readonly quote: CostQuote | null;
  readonly model: string;
  readonly onSend: () => void;
  readonly form: ReactNode;
  /** Placeholder text before there is a result. */
  readonly empty: string;
  readonly children: (data: Data) => ReactNode;
}

/** Form on the left, result on the right, timing and cost below. */
export function SingleCallView<Data>(props: SingleCallViewProps<Data>) {
  const { call, quote, heldBecause } = props;
  const typicalOf = useTypicalCosts();
  const isRunning = call.state === "running";
  return (
    <PlaygroundFrame actions={<ViewCode calls={[props.code]} />}>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
        <section aria-label="Request" className="rounded-panel border border-border bg-surface">
          <form
            className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4"
            onSubmit={(event) => {
              event.preventDefault();
              if (heldBecause === null && !isRunning) props.onSend();
            }}
          >
            {props.form}
            <div className="flex flex-wrap items-center justify-end gap-3">
              <span role="status" className="text-meta text-muted">
                <CostEstimate quotes={[quote]} typical={[typicalOf(props.model)]} />
              </span>
              {isRunning ? (
                <Button icon={<Square size={12} strokeWidth={2} />} onClick={call.stop}>
                  Stop
                </Button>
              ) : (
                <Button type="submit" variant="primary" disabledReason={heldBecause}>
                  {props.sendLabel}
                </Button>
              )}
            </div>
          </form>
          <BalanceLeft />
        </section>
        <Panel title="Result">
          <div
            aria-busy={isRunning}
            aria-live="polite"
            className="grid min-h-24 grid-cols-[minmax(0,1fr)] content-start gap-4"
          >
            {call.state === "idle" && <p className="text-table text-muted">{props.empty}</p>}
            {isRunning && <p className="text-table text-muted motion-safe:animate-pulse">Waiting for the response…</p>}
            {call.state === "stopped" && <p className="text-table text-muted">Stopped.</p>}
            {call.state === "failed" && <CallFailure error={call.error} />}
            {call.result !== null && props.children(call.result.data)}
            {call.result?.facts.callId && (
              <div className="border-t border-hairline pt-3">
                <CallFigures callId={call.result.facts.callId} />
              </div>
            )}
          </div>
        </Panel>
      </div>
    </PlaygroundFrame>
  );
}
