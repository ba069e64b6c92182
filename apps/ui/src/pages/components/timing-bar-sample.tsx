import type { ReactNode } from "react";
import { describeTimingBar } from "../../components/describe-timing-bar.ts";
import { Panel } from "../../components/panel.tsx";
import { TimingBar } from "../../components/timing-bar.tsx";
import { TimingLegend } from "../../components/timing-legend.tsx";

const timing = {
  gatewayBeforeMs: 0.4,
  queueMs: 0,
  failedMs: 212,
  firstTokenMs: 641,
  generationMs: 3_964,
  gatewayAfterMs: 0.3,
};
const costLines = [
  { unit: "input", amount: 12_381_000n },
  { unit: "cached_input", amount: 537_600n },
  { unit: "output", amount: 10_965_000n },
];
const call = { timing, latencyMs: 4_818, class: "succeeded", cost: 23_883_600n, costLines };
const plain = { ...call, timing: { ...timing, failedMs: 0 } };
const queued = { ...call, timing: { ...timing, failedMs: 0, queueMs: 820 } };
const timedOut = {
  ...call,
  timing: { ...timing, failedMs: 0, firstTokenMs: 30_000, generationMs: 0 },
  latencyMs: 30_001,
  costLines: [],
  promptCache: null,
};

/** Samples of the timing bar's sizes and states. */
export function StripSample() {
  return (
    <Panel title="Timing bar" note="all states" footer={<TimingLegend withMoney />}>
      <div className="grid gap-8 lg:grid-cols-[260px_minmax(0,1fr)]">
        <div className="grid content-start gap-3 text-table text-muted">
          <Row label="Table row, 64 px">
            <TimingBar {...plain} size="row" />
          </Row>
          <Row label="Model hub, 42 px">
            <TimingBar {...plain} size="hub" />
          </Row>
          <Row label="With a failed attempt">
            <TimingBar {...call} size="row" />
          </Row>
          <Row label="Queued">
            <TimingBar {...queued} size="row" />
          </Row>
          <Row label="Timed out">
            <TimingBar {...timedOut} size="row" />
          </Row>
          <Row label="No timing breakdown">
            <TimingBar {...call} timing={null} size="row" />
          </Row>
          <Row label="Refused, no provider called">
            <TimingBar {...call} class="refused" size="row" />
          </Row>
          <div className="grid gap-1">
            Medium, playground and dialogs
            <TimingBar {...plain} size="md" />
          </div>
        </div>
        <div className="grid content-start gap-3">
          <TimingBar {...call} size="lg" />
          <p className="text-meta text-muted">
            As text in the CLI and for screen readers:{" "}
            <span className="font-mono whitespace-pre-wrap text-text">{describeTimingBar(call)}</span>
          </p>
        </div>
      </div>
    </Panel>
  );
}

function Row({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-2">
      <span>{label}</span>
      {children}
    </div>
  );
}
