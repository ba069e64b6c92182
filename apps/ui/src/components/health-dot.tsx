import type { HealthState } from "@tollgate/domain/figures/deployment-health.ts";
import type { ReactNode } from "react";
import { type DotShape, StatusDot } from "./status-dot.tsx";

/** The label of each health, the same on every page. */
export const healthLabels: Readonly<Record<HealthState, string>> = {
  healthy: "Healthy",
  degraded: "Degraded",
  cooling: "In cooldown",
  down: "Down",
  unknown: "No recent requests",
};

const shapes: Readonly<Record<HealthState, DotShape>> = {
  healthy: "ok",
  degraded: "warning",
  cooling: "warning",
  down: "bad",
  unknown: "off",
};

/** Health of a deployment or a model. The children follow the label: the rest of a cooldown, for example. */
export function HealthDot({ health, children }: { readonly health: HealthState; readonly children?: ReactNode }) {
  return (
    <StatusDot shape={shapes[health]}>
      {healthLabels[health]}
      {children}
    </StatusDot>
  );
}
