import type { HealthState, LiveState } from "@tollgate/domain/figures/deployment-health.ts";
import { Badge } from "./badge.tsx";
import { HealthDot } from "./health-dot.tsx";
import { useNow } from "./use-now.ts";

interface DeploymentHealthProps {
  readonly deployment: {
    readonly health: HealthState;
    readonly status: LiveState;
    readonly cooldownUntil?: string | null;
  };
}

/** Health of a deployment as on the health page, with the remaining cooldown, and a mark if it gets no requests. */
export function DeploymentHealth({ deployment: { health, status, cooldownUntil = null } }: DeploymentHealthProps) {
  const now = useNow();
  const seconds = cooldownUntil === null ? 0 : Math.ceil((new Date(cooldownUntil).getTime() - now.getTime()) / 1_000);
  return (
    <span className="inline-flex items-center gap-2">
      <HealthDot health={health}>{health === "cooling" && seconds > 0 ? `, ${seconds} s` : null}</HealthDot>
      {(status === "disabled" || status === "unusable") && <Badge>{status}</Badge>}
    </span>
  );
}
