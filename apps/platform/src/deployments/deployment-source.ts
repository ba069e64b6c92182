import type { GatewayReport } from "@tollgate/contracts/health.ts";
import type { AdminDeployment, DeploymentTest } from "@tollgate/contracts/management/deployment.ts";
import type { ConfiguredRouting, SimulatedRoute, SimulateRouteBody } from "@tollgate/contracts/management/routing.ts";
import type { CatalogModel } from "@tollgate/db/catalog/models.ts";

/** A stored model with its provider's base URL. */
export interface StoredModel extends CatalogModel {
  readonly baseUrl: string | null;
  readonly hasCredential: boolean;
}

/** Models that this instance's gateways serve, from the settings files and from the database. */
export interface DeploymentSource {
  list(stored: readonly StoredModel[], live: LiveStates): readonly ServedDeployment[];
  routing(stored: readonly StoredModel[], live: LiveStates): ConfiguredRouting;
  /** Simulates which deployment a call would be routed to now. Makes no call. */
  simulate(stored: readonly StoredModel[], live: LiveStates, question: SimulateRouteBody): SimulatedRoute;
}

/** A deployment with the data needed to copy it. */
export interface ServedDeployment extends Omit<AdminDeployment, "health"> {
  /** Provider kind. The stored provider of a copy must have the same kind. */
  readonly providerKind: string;
  readonly isPattern: boolean;
  /** Team that the deployment is limited to; null for all teams. */
  readonly teamId: string | null;
}

/** Provides the live state of gateways, which isn't in the database. */
export interface GatewayMonitor {
  /** Returns null if no gateway could be reached. */
  look(): Promise<GatewayStatus | null>;
  /** Sends a minimal, unbilled call to a deployment. Returns null if no gateway could be reached. */
  test(deploymentId: string, signal: AbortSignal): Promise<DeploymentTest | "unknown deployment" | null>;
}

export interface GatewayStatus extends Omit<GatewayReport, "deployments"> {
  readonly deployments: LiveStates;
}

/** Live states by deployment ID. A missing deployment has an unknown state. */
export type LiveStates = ReadonlyMap<string, Omit<GatewayReport["deployments"][number], "id">>;
