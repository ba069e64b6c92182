import type { AdminDeployment, DeploymentTest } from "@tollgate/contracts/management/deployment.ts";
import type {
  RoutedGroup,
  RoutingRules,
  SimulatedRoute,
  SimulateRouteBody,
} from "@tollgate/contracts/management/routing.ts";
import type { CatalogModel } from "@tollgate/db/catalogue/models.ts";

/** A model of the database and where its provider is. */
export interface StoredModel extends CatalogModel {
  readonly baseUrl: string | null;
  readonly hasCredential: boolean;
}

/** What gateways of this installation serve, by their own rules: the settings files and these stored models. */
export interface DeploymentSource {
  list(stored: readonly StoredModel[], live: LiveStates): readonly ServedDeployment[];
  routing(stored: readonly StoredModel[], live: LiveStates): RoutingRules;
  /** Where a call would go now. Makes no call. */
  simulate(stored: readonly StoredModel[], live: LiveStates, question: SimulateRouteBody): SimulatedRoute;
}

/** A deployment and what copying it needs. */
export interface ServedDeployment extends AdminDeployment {
  /** The wire it speaks, which a provider of the database has to speak too. */
  readonly providerKind: string;
  readonly isPattern: boolean;
  /** Whose it is alone; null for everyone's. */
  readonly teamId: string | null;
}

export type RoutedDeployment = RoutedGroup["deployments"][number];

/** What gateways know at this moment and no table does. */
export interface GatewayMonitor {
  /** Null when no gateway could be asked. */
  look(): Promise<GatewayStatus | null>;
  /** Calls a deployment for as little as possible; charged to nobody. Null when no gateway could be asked. */
  test(deploymentId: string, signal: AbortSignal): Promise<DeploymentTest | "unknown deployment" | null>;
}

export interface GatewayStatus {
  readonly deployments: LiveStates;
  readonly inFlight: number;
  readonly queueDepth: number;
  /** Of the time from a request until it is sent on. Null before the first call. */
  readonly overheadP50Ms: number | null;
  readonly overheadP95Ms: number | null;
}

/** By deployment id. A deployment that is missing is one nobody could be asked about. */
export type LiveStates = ReadonlyMap<string, LiveState>;

export interface LiveState {
  /** Unix time in milliseconds; 0 when it does not rest. */
  readonly cooledUntilMs: number;
  readonly isUnhealthy: boolean;
}
