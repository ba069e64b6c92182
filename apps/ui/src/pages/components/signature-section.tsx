import { ChartSample } from "./chart-sample.tsx";
import { NetworkSample } from "./network-sample.tsx";
import { ProofSample } from "./proof-sample.tsx";
import { RunwaySample } from "./runway-sample.tsx";
import { StripSample } from "./timing-bar-sample.tsx";

/** Product-specific components: runway, timing bars, reconciliation, charts, and diagrams. */
export function SignatureSection() {
  return (
    <>
      <RunwaySample />
      <StripSample />
      <ProofSample />
      <ChartSample />
      <NetworkSample />
    </>
  );
}
