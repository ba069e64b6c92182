import type { Server } from "node:http";
import { createAddressCheck } from "@tollgate/domain/client-address.ts";
import { createUuidV7Source } from "@tollgate/domain/ids.ts";
import { isGlobalAddress } from "@tollgate/domain/network/global-address.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { SessionPins } from "@tollgate/domain/routing/session-pins.ts";
import type { TargetState } from "@tollgate/domain/routing/target-state.ts";
import { processClock } from "@tollgate/runtime/process-clock.ts";
import { createGuardedLookup } from "@tollgate/runtime/resolve-host.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import { UpstreamClients } from "./adapters/upstream-clients.ts";
import { RunListeners } from "./assistants/run-listeners.ts";
import { ResponseCache } from "./cache/response-cache.ts";
import type { GatewayParts } from "./gateway-parts.ts";
import { FindingThread } from "./guardrails/finding-thread.ts";
import { GuardrailSet } from "./guardrails/guardrail-set.ts";
import { cheapestOfPattern } from "./health/cheapest-of-pattern.ts";
import { HealthChecks } from "./health/health-checks.ts";
import type { Probe } from "./health/probe-deployment.ts";
import { createApiHandler } from "./http/api-handler.ts";
import { docsUrlOn, hostOf } from "./http/docs-url.ts";
import { HttpServer } from "./http/http-server.ts";
import { type ListenTarget, listenOn } from "./http/listen-on.ts";
import { LiveStreams } from "./http/live-streams.ts";
import { underRootPath } from "./http/mounted-handler.ts";
import { createHostCheck, type HostCheck } from "./http/request-headers.ts";
import { type InferenceOperation, RouteTable } from "./http/route-table.ts";
import { inferenceOperations } from "./http/routes/inference-operations.ts";
import { informationOperations } from "./http/routes/information-operations.ts";
import { utilityOperations } from "./http/routes/utility-operations.ts";
import type { TlsIdentity } from "./http/tls-identity.ts";
import { AdmissionGate, defaultGateSettings, type GateSettings } from "./limits/admission-gate.ts";
import { LiveCalls, UnattendedCalls } from "./limits/live-calls.ts";
import { PressureGauge } from "./limits/pressure.ts";
import { type ProcessWatch, watchProcess } from "./limits/watch-process.ts";
import { GatewayMetrics } from "./metrics/gateway-metrics.ts";
import { mergeMetrics } from "./metrics/merge-metrics.ts";
import { writeMetrics } from "./metrics/write-metrics.ts";
import { buildModelList } from "./models/build-model-list.ts";
import { ModelLookup } from "./models/model-lookup.ts";
import { Transports } from "./models/transports.ts";
import { createSteps } from "./pipeline/steps.ts";
import { providers } from "./providers/registry.ts";
import { createConversations } from "./responses/stored-conversations.ts";
import { Telemetry } from "./telemetry/telemetry.ts";
import { CountingThread } from "./tokens/counting-thread.ts";

/** Serves the data plane: one HTTP server with the inference operations on its fast path, and all other routes. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #transports: Transports;
  /** Router state of the deployments. It is preserved when the model list is replaced. */
  readonly #states: RouteStates;
  /** The deployments of sessions. */
  readonly #pins: SessionPins;
  readonly #metrics: GatewayMetrics;
  /** Null if no collector is configured. */
  readonly #telemetry: Telemetry | null;
  readonly #http: HttpServer;
  readonly #pressure: PressureGauge;
  readonly #watch: ProcessWatch;
  readonly #gate: AdmissionGate;
  readonly #unattended = new UnattendedCalls();
  #current: { readonly settings: Settings; readonly models: ModelLookup; readonly cache: ResponseCache | null };
  #hostCheck: HostCheck;
  #isProxy: (address: string) => boolean;
  #gateSettings: GateSettings;
  #stored: readonly DeploymentSettings[] = [];
  #hasStarted = false;
  #isLeaving = false;

  static async create(parts: GatewayParts): Promise<Gateway> {
    const gateway = new Gateway(parts);
    await gateway.#mountApi();
    return gateway;
  }

  private constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#listeners = new RunListeners(parts.onRunStreams);
    this.#metrics = new GatewayMetrics(parts.settings.general.metricsLabels);
    const isAllowed = parts.isAllowedUpstream ?? isGlobalAddress;
    const guard = (apiBase: string) => {
      const url = new URL(apiBase);
      return createGuardedLookup((address) => isAllowed(address, url));
    };
    this.#states = new RouteStates({
      onCooled: (state) => {
        this.#metrics.cooledDown(state.id);
        parts.sharedRouting?.onCooled(state);
      },
    });
    this.#pins = new SessionPins(pinLifetimeOf(parts.settings), parts.sharedRouting != null);
    parts.sharedRouting?.start(this.#states, this.#pins);
    const proxyTo = (address: string) => parts.chooseProxy?.(new URL(address)) ?? null;
    const usesLibrary = parts.settings.general.upstreamHttpClient === "undici";
    this.#transports = new Transports(
      (apiBase, isGuarded) =>
        new UpstreamClients(apiBase, {
          lookup: isGuarded ? guard(apiBase) : null,
          proxy: proxyTo(apiBase),
          usesLibrary,
        }),
    );
    this.#current = {
      settings: parts.settings,
      models: this.#lookUp(parts.settings),
      cache: this.#cacheBy(parts.settings),
    };
    this.#hostCheck = createHostCheck(parts.settings.general.allowedHosts);
    const now = processClock.monotonicMs;
    this.#gateSettings = gateSettingsOf(parts.settings);
    this.#isProxy = createAddressCheck(parts.settings.general.trustedProxies);
    this.#pressure = new PressureGauge(() => parts.onExhausted?.());
    this.#gate = new AdmissionGate({
      settings: () => this.#gateSettings,
      pressure: this.#pressure,
      random: Math.random,
      now,
      onFirst: () => {
        this.#watch.wake();
        parts.sharedRouting?.wake();
      },
    });
    this.#telemetry = this.#openTelemetry(now);
    const steps = createSteps({
      current: () => this.#current,
      keys: parts.keys,
      internalCallers: parts.internalCallers ?? null,
      live: new LiveCalls(now),
      unattended: this.#unattended,
      accounting: parts.accounting,
      recorder: parts.recorder,
      observer: this.#telemetry ?? this.#metrics,
      tracing: this.#telemetry,
      contents: parts.contents ?? null,
      unadmitted: parts.unadmitted ?? null,
      guardrails: { guardsOf: (call) => this.#guardrails.guardsOf(call) },
      newEventId: this.#newEventId,
      repeats: parts.repeats ?? null,
      conversations: createConversations(parts.responses ?? null, (id, reason) => {
        this.#metrics.responseLost();
        parts.onLostResponse?.(id, reason);
      }),
      catalog: parts.catalog,
      onOtherModel: parts.onOtherModel ?? (() => {}),
      gate: this.#gate,
      docsUrl: ({ headers }) => this.#docsUrl(hostOf(headers)),
      now,
      wallClock: Date.now,
      random: Math.random,
      pins: this.#pins,
    });
    this.#guardBy = (settings) => {
      const connect = (origin: string) => new UpstreamClients(origin, { proxy: proxyTo(origin), usesLibrary });
      const tools = { thread: this.#finding, moderate: steps.moderate, connect };
      return new GuardrailSet(settings.guardrails, tools, this.#telemetry ?? this.#metrics);
    };
    this.#guardrails = this.#guardBy(parts.settings);
    this.#inference = inferenceOperations(steps);
    this.#utilities = utilityOperations({
      steps,
      current: () => this.#current,
      counting: this.#counting,
      meanOutput: parts.meanOutput ?? (async () => null),
    });
    this.#http = new HttpServer({
      routes: new RouteTable([...this.#inference, ...this.#utilities], parts.settings.general.serverRootPath),
      rest: (request, response) => this.#rest(request, response),
      mounted: parts.mounted ? underRootPath(parts.mounted, parts.settings.general.serverRootPath) : null,
      tls: parts.tls ?? null,
      hostCheck: () => this.#hostCheck,
      keyHeaders: () => this.#current.settings.general.keyHeaders,
      maxConnectionsPerAddress: () => this.#current.settings.general.maxConnectionsPerAddress,
      isProxy: (address) => this.#isProxy(address),
      shedsReads: () => this.#gate.refuseRead() !== null,
      usesNodeParser: parts.settings.general.httpParser === "node",
      codeStyle: () => this.#current.settings.gateway.errorCodeStyle,
      docsUrl: this.#docsUrl,
      newEventId: this.#newEventId,
      now,
      onUnexpected: parts.onUnexpected,
      unattended: this.#unattended,
    });
    this.#watch = watchProcess(this.#pressure, () => ({
      inFlight: this.#gate.inFlight,
      unsentBytes: this.#http.connections.unsentBytes,
    }));
  }

  /** Builds the guardrails for the given settings. */
  readonly #guardBy: (settings: Settings) => GuardrailSet;
  #guardrails: GuardrailSet;
  readonly #finding = new FindingThread();
  readonly #inference: readonly InferenceOperation[];
  readonly #utilities: readonly InferenceOperation[];
  readonly #counting = new CountingThread();
  readonly #healthChecks = new HealthChecks({
    current: () => this.#current,
    now: processClock.monotonicMs,
    wallClock: processClock.wallMs,
  });
  readonly #streams = new LiveStreams();
  readonly #listeners: RunListeners;
  readonly #docsUrl = (host: string | null): string =>
    docsUrlOn(
      this.#parts.servesDocs === false ? null : host,
      this.#current.settings,
      (this.#parts.tls ?? null) !== null,
    );
  readonly #newEventId = createUuidV7Source(Date.now);
  #rest: Awaited<ReturnType<typeof createApiHandler>> = () => {};

  /** Starts accepting connections and returns the port. */
  async listen(target: ListenTarget): Promise<number> {
    const port = await listenOn(this.#http.server as Server, target);
    this.#hasStarted = true;
    this.#healthChecks.start();
    return port;
  }

  /** Replaces the TLS certificate for new connections. */
  renewTls(identity: TlsIdentity): void {
    this.#http.renewTls(identity);
  }

  /**
   * Applies new settings atomically. Calls in flight finish under the old settings. Throws before any change if the
   * settings are invalid.
   */
  async reload(settings: Settings): Promise<void> {
    const models = this.#lookUp(settings);
    const formerGuardrails = this.#guardrails;
    this.#guardrails = this.#guardBy(settings);
    this.#hostCheck = createHostCheck(settings.general.allowedHosts);
    this.#isProxy = createAddressCheck(settings.general.trustedProxies);
    this.#gateSettings = gateSettingsOf(settings);
    await this.#swap(settings, models);
    this.#healthChecks.start();
    await formerGuardrails.close();
  }

  /** Replaces the models from the database. Models that are not in the new list can no longer be called. */
  async serveStored(deployments: readonly DeploymentSettings[]): Promise<void> {
    this.#stored = deployments;
    const { settings } = this.#current;
    await this.#swap(settings, this.#lookUp(settings));
  }

  get liveCalls(): number {
    return this.#http.liveCalls;
  }

  /** Returns this process's router state for each deployment. */
  deploymentStates(): readonly Pick<TargetState, "id" | "cooledUntilMs" | "isUnhealthy">[] {
    return this.#current.models.list.deployments.map(({ state }) => state);
  }

  /** Calls a deployment with the smallest possible request, free of charge. Returns null if the ID is unknown. */
  async testDeployment(id: string): Promise<Probe | null> {
    const deployment = this.#current.models.list.groups.byId.get(id);
    if (deployment === undefined) return null;
    return this.#healthChecks.test(deployment, cheapestOfPattern(deployment, this.#parts.catalog));
  }

  /** Returns this process's metrics in the Prometheus text format. */
  writeMetrics(): Promise<string> {
    return writeMetrics(this.#metrics, {
      deployments: () => this.#current.models.list.deployments,
      inFlight: () => this.#gate.inFlight,
      unattended: () => this.#unattended.size,
      gate: this.#gate,
      unsentBytes: () => this.#http.connections.unsentBytes,
      freeBudget: (organizationId, window) => this.#parts.accounting.holds.freeBudget(organizationId, window),
      limits: this.#parts.accounting.limits,
      unsettled: this.#parts.unsettled ?? (() => null),
      journal: this.#parts.accounting.journal,
      journalDisk: this.#parts.journalDisk ?? (async () => null),
      logQueue: this.#parts.logQueue ?? (() => 0),
      certificateExpiry: this.#parts.certificateExpiry ?? (() => null),
      telemetry: this.#telemetry?.counts ?? {},
      wallClock: Date.now,
    });
  }

  /** Reports "not ready" but still accepts calls, because load balancers need time to react. */
  announceLeaving(): void {
    this.#isLeaving = true;
    this.#http.announceLeaving();
  }

  /**
   * Waits for running calls to finish, then closes. New calls go to other listeners on the same socket, or are refused.
   */
  async drain(timeoutMs: number, othersListen = false): Promise<void> {
    const isServed = this.#http.drain(timeoutMs, othersListen);
    await Promise.all([isServed, this.#streams.drain(timeoutMs, isServed)]);
    await this.close();
  }

  async close(): Promise<void> {
    this.#healthChecks.stop();
    await this.#http.close();
    await this.#counting.close();
    await this.#finding.close();
    await this.#guardrails.close();
    this.#watch.stop();
    this.#parts.sharedRouting?.close();
    await this.#transports.closeAll();
    await this.#telemetry?.close();
  }

  #openTelemetry(now: () => number): Telemetry | null {
    const { settings, collector = null } = this.#parts;
    const { telemetry } = settings.general;
    if (telemetry === null || collector === null) return null;
    return new Telemetry({
      settings: telemetry,
      counting: this.#metrics,
      collector,
      now,
      wallClock: Date.now,
      random: Math.random,
    });
  }

  /**
   * Replaces the settings, models, and connections in one synchronous step, so that a concurrent change never sees a
   * partial state.
   */
  #swap(settings: Settings, models: ModelLookup): Promise<void> {
    this.#current = { settings, models, cache: this.#cacheBy(settings) };
    this.#pins.lifetimeMs = pinLifetimeOf(settings);
    const { deployments, groupNames } = models.list;
    this.#states.keepOnly(new Set(deployments.map(({ id }) => id)), new Set(groupNames));
    const used = models.list.deployments.flatMap(({ transport, ownKey }) => [
      transport,
      ...(ownKey ? [ownKey.transport] : []),
    ]);
    return this.#transports.keepOnly(new Set(used));
  }

  #lookUp(settings: Settings): ModelLookup {
    const { catalog, onUnusableModel } = this.#parts;
    const stored = {
      entries: this.#stored,
      onUnusable: (entry: DeploymentSettings, reason: unknown) => onUnusableModel?.(entry.modelName, reason),
    };
    return new ModelLookup(buildModelList(settings, providers, catalog, this.#transports, this.#states, stored), {
      allowModelIdCalls: settings.general.allowModelIdCalls,
      hideInaccessibleModels: settings.general.hideInaccessibleModels,
      inferProvider: (bareName) => catalog.inferProvider(bareName) ?? null,
      catalog,
      requiresPrices: settings.billing.provider !== "off",
    });
  }

  #cacheBy({ gateway: { cache } }: Settings): ResponseCache | null {
    const { answers = null } = this.#parts;
    return cache.enabled && answers !== null ? new ResponseCache(cache, answers, Date.now) : null;
  }

  async #mountApi(): Promise<void> {
    const information = informationOperations(this.#parts.managementOperations ?? []);
    this.#rest = await createApiHandler(information, {
      current: () => this.#current,
      keys: this.#parts.keys,
      internalCallers: this.#parts.internalCallers ?? null,
      catalog: this.#parts.catalog,
      findProvider: (name) => providers.get(name),
      findTeam: this.#parts.findTeam,
      isKeyOfLeader: this.#parts.isKeyOfLeader,
      isKeyOfTeamMember: this.#parts.isKeyOfTeamMember,
      assistants: this.#parts.assistants ?? null,
      guardrails: () => this.#guardrails,
      keptAnswers: () => this.#current.cache?.store ?? null,
      responses: this.#parts.responses ?? null,
      health: {
        database: this.#parts.database,
        isDraining: () => this.#isLeaving || this.#http.isDraining,
        hasStarted: () => this.#hasStarted,
        leave: () => {
          this.announceLeaving();
          this.#parts.onLeaving?.();
          return this.#http.liveCalls;
        },
        logLevel: this.#parts.logLevel ?? null,
      },
      healthChecks: this.#healthChecks,
      streams: this.#streams,
      listeners: this.#listeners,
      refuseRead: () => this.#gate.refuseRead(),
      writeMetrics: async () =>
        mergeMetrics([await this.writeMetrics(), ...((await this.#parts.peerMetrics?.()) ?? [])]),
      writeBookMetrics: this.#parts.bookMetrics ?? null,
      newEventId: this.#newEventId,
      wallClock: Date.now,
      onUnexpected: this.#parts.onUnexpected,
      codeStyle: () => this.#current.settings.gateway.errorCodeStyle,
      docsUrl: this.#docsUrl,
      operations: () => [...this.#inference, ...this.#utilities, ...information],
    });
  }
}

function gateSettingsOf({ general }: Settings): GateSettings {
  return { ...defaultGateSettings, maxInFlight: general.globalMaxParallelRequests ?? defaultGateSettings.maxInFlight };
}

/** Returns how long a session stays on its deployment; 0 if sessions are not pinned. */
function pinLifetimeOf({ router }: Settings): number {
  return router.deploymentAffinitySeconds * 1_000;
}
