import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { findKeyByHash } from "@tollgate/db/keys/find-key-by-hash.ts";
import { isKeyOfLeader } from "@tollgate/db/keys/is-key-of-leader.ts";
import { isKeyOfTeamMember } from "@tollgate/db/keys/is-key-of-team-member.ts";
import { findTeam } from "@tollgate/db/teams/find-team.ts";
import { loadSettings } from "@tollgate/runtime/settings/load-settings.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { ContentLog } from "./accounting/accounting.ts";
import type { CallRecord } from "./accounting/record-usage.ts";
import { unboundedAccounting } from "./accounting.fixture.ts";
import { AnswerStores } from "./adapters/answer-stores.ts";
import { CachedKeyDirectory } from "./adapters/key-directory.ts";
import { openCollector } from "./adapters/open-collector.ts";
import { Gateway } from "./app.ts";
import type { AssistantStore } from "./assistants/assistant-store.ts";
import { managementOperations } from "./management-operations.fixture.ts";
import { providers } from "./providers/registry.ts";
import type { ResponseStore } from "./responses/response-store.ts";

export const MASTER_KEY = "sk-test-master";

/**
 * Returns test settings with simulated models, a master key, upstreams on loopback, and the YAML that the test adds.
 */
export function testSettings(yaml = ""): Settings {
  const base = `
model_list: [{ model_name: "sim/*", litellm_params: { model: "sim/*" } }]
general_settings: { master_key: ${MASTER_KEY}, http_parser: ${process.env.HTTP_PARSER ?? "own"} }
platform: { outboundAllow: [localhost, 127.0.0.0/8, "::1"] }
`;
  const loaded = loadSettings({
    files: [
      { name: "base.yaml", text: base },
      { name: "test.yaml", text: yaml },
    ],
    env: {},
    providers: { known: providers, infer: (name) => loadCatalog().inferProvider(name) },
  });
  if (loaded.kind === "refused") throw new Error(JSON.stringify(loaded.problems, null, 2));
  return loaded.settings;
}

export interface TestGateway {
  readonly url: string;
  readonly port: number;
  readonly gateway: Gateway;
  readonly keys: CachedKeyDirectory;
  /** Records of all calls. */
  readonly records: CallRecord[];
  /** Errors that no caller should be able to trigger. */
  readonly unexpected: unknown[];
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Sends a chat call with the master key. */
  chat(body: Record<string, unknown>, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Starts a gateway on a real socket. With a database, the gateway looks up keys there. Without a database, only the
 * master key exists.
 */
export async function startTestGateway(
  options: {
    yaml?: string;
    database?: Database;
    assistants?: AssistantStore;
    responses?: ResponseStore;
    contents?: ContentLog;
  } = {},
): Promise<TestGateway> {
  const settings = testSettings(options.yaml);
  const { database } = options;
  const records: CallRecord[] = [];
  const unexpected: unknown[] = [];
  const keys = new CachedKeyDirectory(
    async (hash) => (database === undefined ? null : findKeyByHash(database, hash)),
    () => performance.now(),
  );
  keys.setMasterKey(settings.general.masterKey);
  const answers = new AnswerStores({ redisUrl: null, sealer: null, onTrouble: () => {} });
  const gateway = await Gateway.create({
    settings,
    catalog: loadCatalog(),
    keys,
    isKeyOfLeader: async (keyId) => database !== undefined && isKeyOfLeader(database, keyId),
    isKeyOfTeamMember: async (keyId, teamId) => database !== undefined && isKeyOfTeamMember(database, keyId, teamId),
    findTeam: async (id) => (database === undefined ? null : findTeam(database, id)),
    accounting: unboundedAccounting(settings),
    assistants: options.assistants ?? null,
    responses: options.responses ?? null,
    contents: options.contents ?? null,
    onLostResponse: (_id, reason) => unexpected.push(reason),
    answers,
    managementOperations,
    recorder: (record) => records.push(record),
    database: async () => (database === undefined ? "Not connected" : "connected"),
    onUnexpected: (error) => unexpected.push(error),
    collector: await openCollector(settings.general.telemetry, { onAway: () => {}, onBack: () => {} }),
  });
  const port = await gateway.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${port}`;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-gw-api-key": MASTER_KEY, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    url,
    port,
    gateway,
    keys,
    records,
    unexpected,
    post,
    chat: (body, headers) =>
      post("/v1/chat/completions", { messages: [{ role: "user", content: "hello" }], ...body }, headers),
    close: async () => {
      await gateway.close();
      answers.close();
    },
  };
}
