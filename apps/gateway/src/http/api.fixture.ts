import type { AddressInfo } from "node:net";
import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { DatabaseState } from "@tollgate/contracts/health.ts";
import { hashApiKey, MASTER_KEY_ID } from "@tollgate/domain/api-keys.ts";
import { createUuidV7Source } from "@tollgate/domain/ids.ts";
import { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import { loadSettings } from "@tollgate/runtime/settings/load-settings.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { UpstreamClients } from "../adapters/upstream-clients.ts";
import type { AssistantStore } from "../assistants/assistant-store.ts";
import { RunListeners } from "../assistants/run-listeners.ts";
import type { Caller } from "../call/caller.ts";
import { HealthChecks } from "../health/health-checks.ts";
import { UnattendedCalls } from "../limits/live-calls.ts";
import { managementOperations } from "../management-operations.fixture.ts";
import { buildModelList } from "../models/build-model-list.ts";
import { ModelLookup } from "../models/model-lookup.ts";
import { Transports } from "../models/transports.ts";
import { noLimits } from "../pipeline/chat-call.fixture.ts";
import type { CallSteps } from "../pipeline/steps.ts";
import { providers } from "../providers/registry.ts";
import type { ApiContext } from "./api-context.ts";
import { createApiHandler } from "./api-handler.ts";
import type { PageOperation } from "./api-operation.ts";
import { docsUrlOn } from "./docs-url.ts";
import { HttpServer } from "./http-server.ts";
import { LiveStreams } from "./live-streams.ts";
import { RouteTable } from "./route-table.ts";
import { inferenceOperations } from "./routes/inference-operations.ts";
import { informationOperations } from "./routes/information-operations.ts";
import type { UtilityContext } from "./routes/utility-operation.ts";
import { utilityOperations } from "./routes/utility-operations.ts";

export const ADMIN_KEY = "sk-admin";
export const USER_KEY = "sk-user";

/** Health state of the instance. Tests change it while the server runs. */
interface TestHealth {
  database: DatabaseState;
  isDraining: boolean;
  hasStarted: boolean;
}

export interface ApiServer {
  readonly url: string;
  readonly health: TestHealth;
  /** Errors that no caller should be able to trigger. */
  readonly unexpected: unknown[];
  readonly streams: LiveStreams;
  get(path: string, options?: GetOptions): Promise<Response>;
  /** Returns the body of a GET that must succeed. */
  read<Body>(path: string, key?: string): Promise<Body>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface GetOptions {
  readonly key?: string | null;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface RestOptions {
  readonly yaml?: string;
  /** Callers by key, in addition to an administrator and a user without limits. */
  readonly callers?: Readonly<Record<string, Partial<Caller>>>;
  readonly teams?: Readonly<Record<string, readonly string[]>>;
  /** IDs of the keys whose creator leads an organization or a team. */
  readonly keysOfLeaders?: readonly string[];
  /** Test operations in addition to the gateway's operations. */
  readonly operations?: readonly PageOperation[];
  readonly assistants?: AssistantStore;
  /** Returns the refusal for read requests under overload. */
  readonly refusesReads?: () => Failure | null;
}

/** Loads settings from YAML text. Throws if they are invalid. */
export function readSettings(yaml: string): Settings {
  const loaded = loadSettings({
    files: [{ name: "test.yaml", text: yaml }],
    env: {},
    providers: { known: providers, infer: (name) => loadCatalog().inferProvider(name) },
  });
  if (loaded.kind === "refused") throw new Error(JSON.stringify(loaded.problems, null, 2));
  return loaded.settings;
}

export function lookUpModels(settings: Settings): ModelLookup {
  const transports = new Transports((apiBase) => new UpstreamClients(apiBase));
  return new ModelLookup(buildModelList(settings, providers, loadCatalog(), transports, new RouteStates()), {
    allowModelIdCalls: settings.general.allowModelIdCalls,
    hideInaccessibleModels: settings.general.hideInaccessibleModels,
    inferProvider: (name) => loadCatalog().inferProvider(name) ?? null,
    catalog: loadCatalog(),
  });
}

/** Creates a caller without limits or roles, except for the given fields. */
export function makeCaller(facts: Partial<Caller> = {}): Caller {
  return {
    ...noLimits,
    keyId: "key_1",
    keyName: "test",
    role: "internal_user",
    userId: null,
    teamId: null,
    teamName: null,
    organizationId: null,
    isTeamBlocked: false,
    isDisabled: false,
    expiresAtMs: null,
    allowedRoutes: null,
    models: { key: [], team: [], user: [], organization: [] },
    keyAliases: {},
    teamAliases: {},
    rpmLimit: null,
    tpmLimit: null,
    keepsContent: false,
    tags: [],
    guardrails: [],
    ...facts,
  };
}

/** Serves the operations off the fast path on a real socket. */
export async function startApi(options: RestOptions = {}): Promise<ApiServer> {
  const settings = readSettings(options.yaml ?? "");
  const current = { settings, models: lookUpModels(settings) };
  const health: TestHealth = { database: "connected", isDraining: false, hasStarted: true };
  const unexpected: unknown[] = [];
  const streams = new LiveStreams();
  const callers = new Map(
    Object.entries({
      [ADMIN_KEY]: { keyId: MASTER_KEY_ID, role: "proxy_admin" as const },
      [USER_KEY]: {},
      ...options.callers,
    }).map(([key, facts]) => [hashApiKey(key).toString("hex"), makeCaller(facts)]),
  );
  // Tests read only the API description of inference and never call it, so it needs no dependencies.
  const inference = [
    ...inferenceOperations({} as CallSteps),
    ...utilityOperations({ steps: {} as CallSteps } as UtilityContext),
  ];
  const pages = [...informationOperations(managementOperations), ...(options.operations ?? [])];
  const context: ApiContext = {
    current: () => current,
    internalCallers: null,
    keys: { recall: (digest) => callers.get(digest) ?? null, find: (digest) => callers.get(digest) ?? null },
    catalog: loadCatalog(),
    findProvider: (name) => providers.get(name),
    isKeyOfLeader: async (keyId) => options.keysOfLeaders?.includes(keyId) === true,
    isKeyOfTeamMember: async () => false,
    findTeam: async (id) => {
      const models = options.teams?.[id];
      return models === undefined ? null : { id, models };
    },
    health: {
      database: async () => health.database,
      isDraining: () => health.isDraining,
      hasStarted: () => health.hasStarted,
      leave: () => {
        health.isDraining = true;
        return 3;
      },
      logLevel: "warn",
    },
    assistants: options.assistants ?? null,
    guardrails: () => null,
    keptAnswers: () => null,
    responses: null,
    healthChecks: new HealthChecks({ current: () => current, now: () => performance.now(), wallClock: Date.now }),
    streams,
    listeners: new RunListeners(),
    refuseRead: () => options.refusesReads?.() ?? null,
    writeMetrics: async () => "",
    writeBookMetrics: null,
    newEventId: createUuidV7Source(Date.now),
    wallClock: Date.now,
    onUnexpected: (error) => unexpected.push(error),
    codeStyle: () => settings.gateway.errorCodeStyle,
    docsUrl: (host) => docsUrlOn(host, settings, false),
    operations: () => [...inference, ...pages],
  };
  const http = new HttpServer({
    routes: new RouteTable(inference, settings.general.serverRootPath),
    rest: await createApiHandler(pages, context),
    hostCheck: () => () => true,
    keyHeaders: () => settings.general.keyHeaders,
    maxConnectionsPerAddress: () => 100,
    codeStyle: context.codeStyle,
    docsUrl: context.docsUrl,
    newEventId: context.newEventId,
    now: () => performance.now(),
    onUnexpected: context.onUnexpected,
    unattended: new UnattendedCalls(),
  });
  await new Promise<void>((resolve) => http.server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;

  const get = (path: string, { key = ADMIN_KEY, method = "GET", headers = {}, body }: GetOptions = {}) =>
    fetch(url + path, {
      method,
      redirect: "manual",
      headers: { ...(key !== null && { "x-gw-api-key": key }), ...headers },
      ...(body !== undefined && { body }),
    });
  return {
    url,
    health,
    unexpected,
    streams,
    get,
    read: async <Body>(path: string, key = ADMIN_KEY) => {
      const response = await get(path, { key });
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Body;
    },
    [Symbol.asyncDispose]: () => http.close(),
  };
}
