import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { createUuidV7Source } from "@tollgate/domain/ids.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { SessionPins } from "@tollgate/domain/routing/session-pins.ts";
import type { CallRecord } from "../accounting/record-usage.ts";
import { unboundedAccounting } from "../accounting.fixture.ts";
import { CachedKeyDirectory } from "../adapters/key-directory.ts";
import { UpstreamClients } from "../adapters/upstream-clients.ts";
import type { Caller } from "../call/caller.ts";
import { AdmissionGate, defaultGateSettings, type GateSettings } from "../limits/admission-gate.ts";
import { LiveCalls, UnattendedCalls } from "../limits/live-calls.ts";
import { noPressure } from "../limits/pressure.ts";
import { buildModelList } from "../models/build-model-list.ts";
import { ModelLookup } from "../models/model-lookup.ts";
import { Transports } from "../models/transports.ts";
import type { KeyDirectory } from "../pipeline/authenticate.ts";
import type { UnadmittedCallLog } from "../pipeline/log-unadmitted.ts";
import { createSteps } from "../pipeline/steps.ts";
import { providers } from "../providers/registry.ts";
import { createConversations } from "../responses/stored-conversations.ts";
import { testSettings } from "../test-gateway.fixture.ts";
import { docsUrlOn, hostOf } from "./docs-url.ts";
import { HttpServer, type ServerTimeouts } from "./http-server.ts";
import { createHostCheck } from "./request-headers.ts";
import { RouteTable } from "./route-table.ts";
import { createTranscription } from "./routes/audio-transcriptions.ts";
import { chatCompletions } from "./routes/chat-completions.ts";
import type { TlsIdentity } from "./tls-identity.ts";

export interface EdgeOptions {
  readonly yaml?: string;
  readonly timeouts?: ServerTimeouts;
  readonly connectionsPerAddress?: number;
  readonly isProxy?: (address: string) => boolean;
  readonly gate?: Partial<GateSettings>;
  /** Awaited before a key is looked up, so that a test can pause a call before its caller is known. */
  readonly beforeKeyLookup?: () => Promise<void>;
  /** A port chosen in advance, so that the settings can point a gateway at itself. */
  readonly port?: number;
  readonly tls?: TlsIdentity;
  /** True if only the test advances the clock, so that nothing becomes overdue while the machine stalls. */
  readonly isClockStopped?: boolean;
  /** The caller of every key other than the master key. Omitted if there are no other keys. */
  readonly caller?: Caller;
  /** Receives the calls that are not admitted. */
  readonly unadmitted?: UnadmittedCallLog;
  /** Handles non-inference paths. */
  readonly rest?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** The edge with the real chat operation, and a clock that the test can advance. */
export interface Edge {
  readonly port: number;
  readonly http: HttpServer;
  readonly records: CallRecord[];
  /** Errors that no client should be able to trigger. */
  readonly unexpected: unknown[];
  /** Targets of the requests that were passed to the handler for non-inference paths. */
  readonly restTargets: string[];
  /** Advances the clock for all server deadlines except those of the HTTP parser. */
  advance(ms: number): void;
  /** Serves only these hosts from now on, as after a reload. */
  allowHosts(names: readonly string[]): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an edge on a free port. The only key is the master key. The edge serves simulated models and the models in the
 * YAML.
 */
export async function startEdge(options: EdgeOptions = {}): Promise<Edge> {
  const settings = testSettings(options.yaml);
  const catalog = loadCatalog();
  const records: CallRecord[] = [];
  const unexpected: unknown[] = [];
  const restTargets: string[] = [];
  let advancedMs = 0;
  const startedAtMs = performance.now();
  const now = () => (options.isClockStopped ? startedAtMs : performance.now()) + advancedMs;
  const known = new CachedKeyDirectory(async () => null, now);
  known.setMasterKey(settings.general.masterKey);
  const { beforeKeyLookup, caller } = options;
  const find = async (digest: string) => {
    await beforeKeyLookup?.();
    return (await known.find(digest)) ?? caller ?? null;
  };
  const keys: KeyDirectory =
    beforeKeyLookup === undefined && caller === undefined ? known : { recall: () => undefined, find };
  const transports = new Transports((apiBase) => new UpstreamClients(apiBase));
  const models = new ModelLookup(buildModelList(settings, providers, catalog, transports, new RouteStates()), {
    allowModelIdCalls: false,
    hideInaccessibleModels: false,
    inferProvider: () => null,
    catalog: loadCatalog(),
  });
  const unattended = new UnattendedCalls();
  const steps = createSteps({
    current: () => ({ settings, models, cache: null }),
    keys,
    internalCallers: null,
    live: new LiveCalls(now),
    unattended,
    accounting: unboundedAccounting(settings),
    recorder: (record) => records.push(record),
    observer: null,
    tracing: null,
    unadmitted: options.unadmitted ?? null,
    contents: null,
    guardrails: null,
    newEventId: createUuidV7Source(Date.now),
    repeats: null,
    conversations: createConversations(null, () => {}),
    catalog,
    onOtherModel: () => {},
    gate: new AdmissionGate({
      settings: () => ({ ...defaultGateSettings, ...options.gate }),
      pressure: noPressure,
      random: Math.random,
      now,
    }),
    docsUrl: ({ headers }) => docsUrlOn(hostOf(headers), settings, false),
    now,
    wallClock: Date.now,
    random: Math.random,
    pins: new SessionPins(0, false),
  });
  let hostCheck = createHostCheck(settings.general.allowedHosts);
  const http = new HttpServer({
    routes: new RouteTable([chatCompletions(steps), createTranscription(steps)], settings.general.serverRootPath),
    rest: (request, response) => {
      restTargets.push(request.url ?? "");
      if (options.rest !== undefined) return options.rest(request, response);
      response.writeHead(404, { "content-length": "0" }).end();
    },
    hostCheck: () => hostCheck,
    keyHeaders: () => settings.general.keyHeaders,
    maxConnectionsPerAddress: () => options.connectionsPerAddress ?? 256,
    ...(options.isProxy && { isProxy: options.isProxy }),
    codeStyle: () => settings.gateway.errorCodeStyle,
    docsUrl: (host) => docsUrlOn(host, settings, false),
    newEventId: createUuidV7Source(Date.now),
    now,
    onUnexpected: (error) => unexpected.push(error),
    unattended,
    usesNodeParser: settings.general.httpParser === "node",
    ...(options.timeouts && { timeouts: options.timeouts }),
    ...(options.tls && { tls: options.tls }),
  });
  const server = http.server as unknown as Server;
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const close = async () => {
    await http.close();
    await transports.closeAll();
  };
  return {
    port: (server.address() as AddressInfo).port,
    http,
    records,
    unexpected,
    restTargets,
    advance: (ms) => {
      advancedMs += ms;
    },
    allowHosts: (names) => {
      hostCheck = createHostCheck(names);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
