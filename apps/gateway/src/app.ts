import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Catalogue } from "@tollgate/catalogue/catalogue.ts";
import { createUuidV7Source } from "@tollgate/domain/ids.ts";
import { isGlobalAddress } from "@tollgate/domain/network/global-address.ts";
import { createGuardedLookup } from "@tollgate/runtime/resolve-host.ts";
import type { DeploymentSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import { UpstreamClients } from "./adapters/upstream-clients.ts";
import { createHostCheck } from "./edge/allowed-hosts.ts";
import { HttpServer, type MountedHandler } from "./edge/http-server.ts";
import { createRest } from "./edge/rest.ts";
import type { HealthState, RestContext } from "./edge/rest-context.ts";
import { type InferenceOperation, RouteTable } from "./edge/route-table.ts";
import { buildModelList } from "./model-list/build-model-list.ts";
import { ModelLookup } from "./model-list/model-lookup.ts";
import { Transports } from "./model-list/transports.ts";
import type { KeyDirectory } from "./pipeline/authenticate.ts";
import type { InternalCallers } from "./pipeline/authenticate-internal.ts";
import type { ContentLog } from "./pipeline/content-log.ts";
import { LiveCalls } from "./pipeline/live-calls.ts";
import type { RefusalLog } from "./pipeline/note-refusal.ts";
import type { UsageRecorder } from "./pipeline/record-usage.ts";
import { type Accounting, createSteps } from "./pipeline/steps.ts";
import { providers } from "./providers/registry.ts";
import { chatCompletions } from "./routes/chat-completions.ts";
import { informationOperations } from "./routes/information-operations.ts";

/** What a gateway needs from outside: where keys are, who hears of usage, and how the database is. */
export interface GatewayParts {
  readonly settings: Settings;
  readonly catalogue: Catalogue;
  readonly keys: KeyDirectory;
  /** Who may call for a key without its secret; null when no other process of this installation does. */
  readonly internalCallers?: InternalCallers | null;
  /** Whoever else lives on this server; the gateway knows nothing of it. */
  readonly mounted?: MountedHandler | null;
  readonly findTeam: RestContext["findTeam"];
  readonly isKeyOfLeader: RestContext["isKeyOfLeader"];
  readonly accounting: Accounting;
  /** Hears of each call besides; null when nobody looks. */
  readonly recorder: UsageRecorder | null;
  /** Keeps what was asked and answered, for organizations that want that. */
  readonly contents?: ContentLog | null;
  /** Hears of calls that were refused before they cost anything. */
  readonly refusals?: RefusalLog | null;
  readonly database: HealthState["database"];
  readonly onUnexpected: (error: unknown, callId: string) => void;
  /** Which addresses models of the database may be at; the open internet where nobody says otherwise. */
  readonly isAllowedUpstream?: (address: string) => boolean;
  /** A model of the database that cannot be served. */
  readonly onUnusableModel?: (name: string, reason: unknown) => void;
}

/** Where a server takes its connections from: an address of its own, or a socket another process opened. */
export type ListenTarget = { readonly host: string; readonly port: number } | { readonly fd: number };

const DEFAULT_CONNECTIONS_PER_ADDRESS = 256;

/** The data plane: one HTTP server with the inference operations on its fast path and the rest behind them. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #transports: Transports;
  readonly #http: HttpServer;
  #current: { readonly settings: Settings; readonly models: ModelLookup };
  #isAllowedHost: (host: string) => boolean;
  #stored: readonly DeploymentSettings[] = [];
  #hasStarted = false;
  #isLeaving = false;

  static async create(parts: GatewayParts): Promise<Gateway> {
    const gateway = new Gateway(parts);
    await gateway.#mountRest();
    return gateway;
  }

  private constructor(parts: GatewayParts) {
    this.#parts = parts;
    const lookup = createGuardedLookup(parts.isAllowedUpstream ?? isGlobalAddress);
    this.#transports = new Transports((apiBase, isGuarded) => new UpstreamClients(apiBase, isGuarded ? lookup : null));
    this.#current = { settings: parts.settings, models: this.#lookUp(parts.settings) };
    this.#isAllowedHost = createHostCheck(parts.settings.general.allowedHosts);
    const now = () => performance.now();
    const steps = createSteps({
      current: () => this.#current,
      keys: parts.keys,
      internalCallers: parts.internalCallers ?? null,
      live: new LiveCalls(now),
      accounting: parts.accounting,
      recorder: parts.recorder,
      contents: parts.contents ?? null,
      refusals: parts.refusals ?? null,
      now,
      wallClock: Date.now,
      random: Math.random,
    });
    this.#inference = [chatCompletions(steps)];
    this.#http = new HttpServer({
      routes: new RouteTable(this.#inference, parts.settings.general.serverRootPath),
      rest: (request, response) => this.#rest(request, response),
      mounted: parts.mounted ? underRootPath(parts.mounted, parts.settings.general.serverRootPath) : null,
      isAllowedHost: (host) => this.#isAllowedHost(host),
      keyHeaders: () => this.#current.settings.general.keyHeaders,
      maxConnectionsPerAddress: DEFAULT_CONNECTIONS_PER_ADDRESS,
      codeStyle: () => this.#current.settings.gateway.errorCodeStyle,
      newEventId: this.#newEventId,
      now,
      onUnexpected: parts.onUnexpected,
    });
  }

  readonly #inference: readonly InferenceOperation[];
  readonly #newEventId = createUuidV7Source(Date.now);
  #rest: Awaited<ReturnType<typeof createRest>> = () => {};

  /** Starts taking connections and tells the port it got. */
  async listen(target: ListenTarget): Promise<number> {
    const { server } = this.#http as { server: Server };
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(target, () => {
        server.off("error", reject);
        resolve();
      });
    });
    this.#hasStarted = true;
    return (server.address() as AddressInfo).port;
  }

  /** Takes new settings whole: calls under way end under the old ones. Throws before anything is changed if they do not fit. */
  async reload(settings: Settings): Promise<void> {
    const models = this.#lookUp(settings);
    this.#isAllowedHost = createHostCheck(settings.general.allowedHosts);
    await this.#swap(settings, models);
  }

  /** Takes the models of the database, all of them: those that were there before and are no more cannot be called from now on. */
  async serveStored(deployments: readonly DeploymentSettings[]): Promise<void> {
    this.#stored = deployments;
    const { settings } = this.#current;
    await this.#swap(settings, this.#lookUp(settings));
  }

  get liveCalls(): number {
    return this.#http.liveCalls;
  }

  /** Says that it is not ready any more, while it still takes calls: balancers need a moment to notice. */
  announceLeaving(): void {
    this.#isLeaving = true;
  }

  /** Lets running calls end, then closes. New ones are left to others that listen on the same socket, or refused. */
  async drain(timeoutMs: number, othersListen = false): Promise<void> {
    await this.#http.drain(timeoutMs, othersListen);
    await this.close();
  }

  async close(): Promise<void> {
    await this.#http.close();
    await this.#transports.closeAll();
  }

  /** In one step, and connections are told apart in it: whoever swaps next must not find them half gone. */
  #swap(settings: Settings, models: ModelLookup): Promise<void> {
    this.#current = { settings, models };
    return this.#transports.keepOnly(new Set(models.list.deployments.map(({ transport }) => transport)));
  }

  #lookUp(settings: Settings): ModelLookup {
    const { catalogue, onUnusableModel } = this.#parts;
    const stored = {
      entries: this.#stored,
      onUnusable: (entry: DeploymentSettings, reason: unknown) => onUnusableModel?.(entry.modelName, reason),
    };
    return new ModelLookup(buildModelList(settings, providers, catalogue, this.#transports, stored), {
      allowModelIdCalls: settings.general.allowModelIdCalls,
      hideInaccessibleModels: settings.general.hideInaccessibleModels,
      inferProvider: (bareName) => catalogue.inferProvider(bareName) ?? null,
      catalogue,
    });
  }

  async #mountRest(): Promise<void> {
    const information = informationOperations();
    this.#rest = await createRest(information, {
      current: () => this.#current,
      keys: this.#parts.keys,
      catalogue: this.#parts.catalogue,
      findTeam: this.#parts.findTeam,
      isKeyOfLeader: this.#parts.isKeyOfLeader,
      health: {
        database: this.#parts.database,
        isDraining: () => this.#isLeaving || this.#http.isDraining,
        hasStarted: () => this.#hasStarted,
      },
      newEventId: this.#newEventId,
      wallClock: Date.now,
      onUnexpected: this.#parts.onUnexpected,
      codeStyle: () => this.#current.settings.gateway.errorCodeStyle,
      operations: () => [...this.#inference, ...information],
    });
  }
}

/** The same also below the path that all addresses of this installation begin with. */
function underRootPath(mounted: MountedHandler, rootPath: string): MountedHandler {
  if (rootPath === "") return mounted;
  return {
    prefixes: [...mounted.prefixes, ...mounted.prefixes.map((prefix) => rootPath + prefix)],
    handle: (request, response) => {
      const target = request.url as string;
      if (target.startsWith(`${rootPath}/`)) request.url = target.slice(rootPath.length);
      mounted.handle(request, response);
    },
  };
}
