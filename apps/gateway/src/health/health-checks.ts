import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { ModelLookup } from "../model-list/model-lookup.ts";
import { offeredOperations } from "../model-list/offered-operations.ts";
import { type Probe, probeDeployment } from "./probe-deployment.ts";

/** At most so many deployments are asked at once. */
const CONCURRENCY = 10;
/** Nobody pays for a check, so whoever asks again within this time hears the same. */
const FRESH_MS = 10_000;

/** How a deployment was when it was last asked. */
export interface DeploymentHealth {
  readonly deployment: Deployment;
  /** Null when it answered. */
  readonly error: string | null;
}

interface Check {
  readonly error: Promise<string | null>;
  readonly startedAtMs: number;
}

export interface HealthCheckParts {
  readonly current: () => { readonly settings: Settings; readonly models: ModelLookup };
  readonly now: () => number;
}

/** Finds out which deployments answer: when someone asks, or all the time where the operator wants that. */
export class HealthChecks {
  readonly #parts: HealthCheckParts;
  readonly #checks = new Map<string, Check>();
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(parts: HealthCheckParts) {
    this.#parts = parts;
  }

  /** How these deployments are. Patterns without a model to call are left out. */
  async check(deployments: readonly Deployment[]): Promise<readonly DeploymentHealth[]> {
    const { backgroundHealthChecks, healthCheckIntervalSeconds } = this.#parts.current().settings.general;
    // Two intervals: a round that is late must not make everyone who asks begin one of their own.
    return this.#checkAll(deployments, backgroundHealthChecks ? healthCheckIntervalSeconds * 2_000 : FRESH_MS);
  }

  /** Calls one deployment now, whatever was found before. A pattern is called by the name that was given for it. */
  async test(deployment: Deployment, nameForPattern: string | null): Promise<Probe> {
    const healthCheckModel = deployment.healthCheckModel ?? nameForPattern;
    const probed = asProbed({ ...deployment, healthCheckModel });
    if (probed === null) {
      const error = "Health checks of wildcard deployments require health_check_model.";
      return { error, answer: null };
    }
    return probeDeployment(probed, this.#timeoutOf(deployment));
  }

  /** Checks all deployments again and again from now on, if the settings say so. Started anew when they change. */
  start(): void {
    const { settings, models } = this.#parts.current();
    const { backgroundHealthChecks, healthCheckIntervalSeconds } = settings.general;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // What was found before must not be gone by when nobody looks again.
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

  /** What is found here the router may go by. */
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

/** The deployment with the model that a check calls; null for a pattern that names none. */
function asProbed(deployment: Deployment): Deployment | null {
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
    offers: offeredOperations(provider, upstreamModel, facts.mode, additionalDropParams, deployment),
  };
}
