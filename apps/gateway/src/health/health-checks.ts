import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../call/deployment.ts";
import type { ModelLookup } from "../models/model-lookup.ts";
import { offeredOperations } from "../models/offered-operations.ts";
import { hasLimitedProbe, isPaidPerItem } from "./probe-call.ts";
import { type Probe, probeDeployment } from "./probe-deployment.ts";

/** Maximum number of deployments probed concurrently. */
const CONCURRENCY = 10;
/** How long a result is reused. Checks are not charged, so repeated requests must not cause repeated probes. */
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

interface CheckResult {
  readonly error: string | null;
  readonly endedAtMs: number;
}

interface HealthCheckParts {
  readonly current: () => { readonly settings: Settings; readonly models: ModelLookup };
  readonly now: () => number;
  /** Unix time in milliseconds. Deployment cooldowns use this clock. */
  readonly wallClock: () => number;
}

/** Checks which deployments respond, on request or, if the operator enables background checks, periodically. */
export class HealthChecks {
  readonly #parts: HealthCheckParts;
  readonly #checks = new Map<string, Check>();
  /** Results of finished checks, which remain while the next check is in progress. */
  readonly #results = new Map<string, CheckResult>();
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(parts: HealthCheckParts) {
    this.#parts = parts;
  }

  /**
   * Calls these deployments and returns their health. The operator pays for the calls. Models that providers bill per
   * item, such as images, are called only if `isNamed` is true, because one item can cost more than thousands of chats.
   * Patterns without a model to call, deployments without a key, and models without an output limit are omitted.
   */
  async check(deployments: readonly Deployment[], isNamed: boolean): Promise<readonly DeploymentHealth[]> {
    const freshMs = this.#parts.current().settings.general.backgroundHealthChecks ? this.#validMs() : FRESH_MS;
    const called = isNamed ? deployments : deployments.filter((deployment) => !isPaidPerItem(deployment));
    const checked = await this.#checkAll(called, freshMs);
    const others = this.known(deployments.filter((deployment) => !called.includes(deployment)));
    return inOrder(deployments, [...checked, ...others]);
  }

  /** Like `check`, but calls no deployment. The health is that of recent checks, and the state that the router uses. */
  known(deployments: readonly Deployment[]): readonly DeploymentHealth[] {
    return deployments
      .filter((deployment) => asChecked(deployment) !== null)
      .map((deployment) => ({ deployment, error: this.#knownError(deployment) }));
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
    for (const id of this.#results.keys()) if (!known.has(id)) this.#results.delete(id);
    for (const { deployment, error } of await this.#checkAll(deployments, 0)) {
      deployment.state.isUnhealthy = error !== null;
    }
  }

  async #checkAll(deployments: readonly Deployment[], freshMs: number): Promise<readonly DeploymentHealth[]> {
    const found: DeploymentHealth[] = [];
    const waiting = deployments.flatMap((deployment) => {
      const probed = asChecked(deployment);
      return probed === null ? [] : [{ deployment, probed }];
    });
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        found.push({ deployment: next.deployment, error: await this.#ask(next.probed, freshMs) });
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, waiting.length) }, work));
    return inOrder(deployments, found);
  }

  #ask(deployment: Deployment, freshMs: number): Promise<string | null> {
    const { id } = deployment;
    const nowMs = this.#parts.now();
    const known = this.#checks.get(id);
    if (known !== undefined && nowMs - known.startedAtMs < freshMs) return known.error;
    const timeoutMs = this.#timeoutOf(deployment);
    const error = probeDeployment(deployment, timeoutMs).then((probe) => {
      this.#results.set(id, { error: probe.error, endedAtMs: this.#parts.now() });
      return probe.error;
    });
    this.#checks.set(id, { error, startedAtMs: nowMs });
    return error;
  }

  /** Returns why a deployment is unhealthy, as far as this process knows without a call; null if it counts as healthy. */
  #knownError({ id, state }: Deployment): string | null {
    const result = this.#results.get(id);
    const isValid = result !== undefined && this.#parts.now() - result.endedAtMs < this.#validMs();
    if (isValid && result.error !== null) return result.error;
    if (!isValid && state.isUnhealthy) return "The last health check failed.";
    if (state.isCooling(this.#parts.wallClock()))
      return "This deployment is in cooldown, because requests to it failed.";
    return null;
  }

  /** Results stay valid for two intervals, so that a late round of background checks doesn't leave a gap. */
  #validMs(): number {
    return this.#parts.current().settings.general.healthCheckIntervalSeconds * 2_000;
  }

  #timeoutOf({ healthCheckTimeoutSeconds }: Deployment): number {
    const { general } = this.#parts.current().settings;
    return (healthCheckTimeoutSeconds ?? general.healthCheckTimeoutSeconds) * 1_000;
  }
}

function inOrder(deployments: readonly Deployment[], found: readonly DeploymentHealth[]): readonly DeploymentHealth[] {
  const order = new Map(deployments.map((deployment, index) => [deployment, index]));
  return found.toSorted((one, other) => (order.get(one.deployment) ?? 0) - (order.get(other.deployment) ?? 0));
}

/** Like `asProbed`, but null also for a model whose output cannot be limited, because checks are not charged. */
function asChecked(deployment: Deployment): Deployment | null {
  const probed = asProbed(deployment);
  return probed !== null && hasLimitedProbe(probed) ? probed : null;
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
