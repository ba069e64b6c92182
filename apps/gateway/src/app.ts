import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Catalogue } from "@tollgate/catalogue/catalogue.ts";
import { createUuidV7Source } from "@tollgate/domain/ids.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { UpstreamClients } from "./adapters/upstream-clients.ts";
import { createHostCheck } from "./edge/allowed-hosts.ts";
import { HttpServer } from "./edge/http-server.ts";
import { createRest } from "./edge/rest.ts";
import type { HealthState, RestContext } from "./edge/rest-context.ts";
import { type InferenceOperation, RouteTable } from "./edge/route-table.ts";
import { buildModelList } from "./model-list/build-model-list.ts";
import { ModelLookup } from "./model-list/model-lookup.ts";
import { Transports } from "./model-list/transports.ts";
import type { KeyDirectory } from "./pipeline/authenticate.ts";
import { LiveCalls } from "./pipeline/live-calls.ts";
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
  readonly findTeam: RestContext["findTeam"];
  readonly accounting: Accounting;
  /** Hears of each call besides; null when nobody looks. */
  readonly recorder: UsageRecorder | null;
  readonly database: HealthState["database"];
  readonly onUnexpected: (error: unknown, callId: string) => void;
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
  #hasStarted = false;
  #isLeaving = false;

  static async create(parts: GatewayParts): Promise<Gateway> {
    const gateway = new Gateway(parts);
    await gateway.#mountRest();
    return gateway;
  }

  private constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#transports = new Transports((apiBase) => new UpstreamClients(apiBase));
    this.#current = { settings: parts.settings, models: this.#lookUp(parts.settings) };
    this.#isAllowedHost = createHostCheck(parts.settings.general.allowedHosts);
    const now = () => performance.now();
    const steps = createSteps({
      current: () => this.#current,
      keys: parts.keys,
      live: new LiveCalls(now),
      accounting: parts.accounting,
      recorder: parts.recorder,
      now,
      wallClock: Date.now,
      random: Math.random,
    });
    this.#inference = [chatCompletions(steps)];
    this.#http = new HttpServer({
      routes: new RouteTable(this.#inference, parts.settings.general.serverRootPath),
      rest: (request, response) => this.#rest(request, response),
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
    this.#current = { settings, models };
    await this.#transports.keepOnly(new Set(models.list.deployments.map(({ transport }) => transport)));
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

  #lookUp(settings: Settings): ModelLookup {
    const { catalogue } = this.#parts;
    return new ModelLookup(buildModelList(settings, providers, catalogue, this.#transports), {
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
