import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../call/deployment.ts";
import type { ModelLookup } from "../models/model-lookup.ts";
import { offeredOperations } from "../models/offered-operations.ts";
import { type Probe, probeDeployment } from "./probe-deployment.ts";

/** Maximum number of deployments probed concurrently. */
const CONCURRENCY = 10;
/** How long a result is reused. Checks are free for callers, so repeated requests must not cause repeated probes. */
const FRESH_MS = 10_000;

/** Result of a deployment's latest check. */
export interface DeploymentHealth {
  readonly deployment: Deployment;
  /** Null if the deployment responded. */
  readonly error: string | null;
}

interface Check {
  readonly error: Promise<string | null>;
  readonly startedAtMs: number;
}

interface HealthCheckParts {
  readonly current: () => { readonly settings: Settings; readonly models: ModelLookup };
  readonly now: () => number;
}

/** Checks which deployments respond, on request or, if the operator enables background checks, periodically. */
export class HealthChecks {
  readonly #parts: HealthCheckParts;
  readonly #checks = new Map<string, Check>();
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(parts: HealthCheckParts) {
    this.#parts = parts;
  }

  /** Returns the health of these deployments. Patterns without a model to call and deployments without a key are omitted. */
  async check(deployments: readonly Deployment[]): Promise<readonly DeploymentHealth[]> {
    const { backgroundHealthChecks, healthCheckIntervalSeconds } = this.#parts.current().settings.general;
    // Results stay valid for two intervals, so that requests don't start their own checks when a round is late.
    return this.#checkAll(deployments, backgroundHealthChecks ? healthCheckIntervalSeconds * 2_000 : FRESH_MS);
  }

  /** Probes one deployment now, ignoring cached results. For a pattern, `nameForPattern` is the model to call. */
  async test(deployment: Deployment, nameForPattern: string | null): Promise<Probe> {
    const healthCheckModel = deployment.healthCheckModel ?? nameForPattern;
    const probed = asProbed({ ...deployment, healthCheckModel });
    if (probed === null) {
      const error = "Health checks of wildcard deployments require health_check_model.";
      return { error, answer: null };
    }
    return probeDeployment(probed, this.#timeoutOf(deployment));
  }

  /** Starts periodic background checks if the settings enable them. Called again when the settings change. */
  start(): void {
    const { settings, models } = this.#parts.current();
    const { backgroundHealthChecks, healthCheckIntervalSeconds } = settings.general;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // Clears old results, because no further checks will update them.
    if (!backgroundHealthChecks) for (const { state } of models.list.deployments) state.isUnhealthy = false;
    const round = async () => {
      if (backgroundHealthChecks) await this.#checkRound();
      if (!this.#isStopped) this.start();
    };
    const delayMs = backgroundHealthChecks && this.#checks.size === 0 ? 0 : healthCheckIntervalSeconds * 1_000;
    this.#timer = setTimeout(() => void round(), delayMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Checks all deployments and updates the state that the router uses. */
  async #checkRound(): Promise<void> {
    const { deployments } = this.#parts.current().models.list;
    const known = new Set(deployments.map(({ id }) => id));
    for (const id of this.#checks.keys()) if (!known.has(id)) this.#checks.delete(id);
    for (const { deployment, error } of await this.#checkAll(deployments, 0)) {
      deployment.state.isUnhealthy = error !== null;
    }
  }

  async #checkAll(deployments: readonly Deployment[], freshMs: number): Promise<readonly DeploymentHealth[]> {
    const found: DeploymentHealth[] = [];
    const waiting = deployments.flatMap((deployment) => {
      const probed = asProbed(deployment);
      return probed === null ? [] : [{ deployment, probed }];
    });
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        found.push({ deployment: next.deployment, error: await this.#ask(next.probed, freshMs) });
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, waiting.length) }, work));
    const order = new Map(deployments.map((deployment, index) => [deployment, index]));
    return found.toSorted((one, other) => (order.get(one.deployment) ?? 0) - (order.get(other.deployment) ?? 0));
  }

  #ask(deployment: Deployment, freshMs: number): Promise<string | null> {
    const { id } = deployment;
    const nowMs = this.#parts.now();
    const known = this.#checks.get(id);
    if (known !== undefined && nowMs - known.startedAtMs < freshMs) return known.error;
    const timeoutMs = this.#timeoutOf(deployment);
    const error = probeDeployment(deployment, timeoutMs).then((probe) => probe.error);
    this.#checks.set(id, { error, startedAtMs: nowMs });
    return error;
  }

  #timeoutOf({ healthCheckTimeoutSeconds }: Deployment): number {
    const { general } = this.#parts.current().settings;
    return (healthCheckTimeoutSeconds ?? general.healthCheckTimeoutSeconds) * 1_000;
  }
}

/**
 * Returns the deployment with the model that a check calls; null for a pattern without a health check model, and for a
 * deployment without a key.
 */
function asProbed(deployment: Deployment): Deployment | null {
  if (deployment.needsOwnKey) return null;
  if (!deployment.isNamedByClient) return deployment;
  const { healthCheckModel, additionalDropParams, facts } = deployment;
  if (healthCheckModel === null) return null;
  const prefix = `${deployment.provider.name}/`;
  const upstreamModel = healthCheckModel.startsWith(prefix) ? healthCheckModel.slice(prefix.length) : healthCheckModel;
  const provider = deployment.provider.forModel?.(upstreamModel) ?? deployment.provider;
  const named = { ...deployment, provider, upstreamModel };
  return {
    ...named,
    prepared: provider.prepare(named),
    offers: offeredOperations(provider, upstreamModel, facts, additionalDropParams, deployment),
  };
}
