import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postSystemCredit } from "@tollgate/db/credits/post-system-credit.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import { type Api, createApi } from "@tollgate/testkit/api-client.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { startFakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { startGateway } from "./start-gateway.ts";
import { type PlatformStart, startPlatform } from "./start-platform.ts";

export const SECRET_KEY = "a secret key that only tests use";
export const PASSWORD = "correct horse battery";
const JOURNAL_SIZES = { segmentBytes: 256 * 1024, emergencyBytes: 128 * 1024 };
const STOP_MS = 2_000;
const logger = { info: () => {}, warn: () => {}, error: () => {} };

/** Limits that are high enough that no test reaches them by accident. */
export const ROOMY_LIMITS =
  "limits: { requestsPerMinute: 100000, unauthenticatedRequestsPerMinute: 100000, signUpsPerHour: 100000, loginsPerMinute: 100000 }";

/** A user who signed up through the API. */
export interface Person {
  readonly email: string;
  readonly token: string;
  readonly organizationId: string;
  readonly teamId: string;
}

/** A gateway that hosts the platform, as in `serve`, with a real database. */
export interface HostedPlatform {
  readonly url: string;
  signUp(): Promise<Person>;
  /** Adds credit the way a purchase does. */
  addCredit(person: Person, amount: NanoUsd): Promise<void>;
  createKey(person: Person, fields?: object): Promise<{ readonly id: string; readonly token: string }>;
  readonly api: Api;
  reload(yaml: string): Promise<void>;
  stop(): Promise<void>;
}

let people = 0;

/** Signs up a new user. Throws if sign-up is refused. */
export async function signUp(api: Api): Promise<Person> {
  people += 1;
  const email = `person-${process.pid}-${people}@example.org`;
  const { status, text, body } = await api("POST", "/api/auth/sign-up", { body: { email, password: PASSWORD } });
  if (status !== 201) throw new Error(`sign-up was refused: ${status} ${text}`);
  return { email, token: body.token, organizationId: body.organization.id, teamId: body.team.id };
}

/**
 * Starts the platform and a gateway in this process. The model `metered` costs 1,000 nano-USD per input token and 2,000
 * per output token.
 */
export async function startHostedPlatform(
  database: TestDatabase,
  origin: string,
  yaml = "",
  more: Partial<PlatformStart> = {},
): Promise<HostedPlatform> {
  const settings = settingsOf(origin, yaml);
  const journalRoot = await mkdtemp(join(tmpdir(), "tollgate-hosted-"));
  const common = {
    connectionString: database.connectionString,
    redisUrl: null,
    secretKeys: [new Secret(SECRET_KEY)],
    logger,
  };
  const gatewayUrl = () => `http://127.0.0.1:${gateway.port}`;
  const platform = await startPlatform({ ...common, settings, gatewayUrl, ...more });
  const gateway = await startGateway({
    ...common,
    settings,
    target: { host: "127.0.0.1", port: 0 },
    mounted: platform.mounted,
    journalRoot,
    journalSizes: JOURNAL_SIZES,
    index: 0,
    processes: 1,
    natsUrl: null,
    recorder: null,
    onJournalFailed: () => {},
  });
  const url = `http://127.0.0.1:${gateway.port}`;
  const api = createApi(url);
  let entries = 0;
  return {
    url,
    api,
    signUp: () => signUp(api),
    addCredit: ({ organizationId }, amount) =>
      runAsAdministrator(database.connect("tollgate_platform"), async (transaction) => {
        entries += 1;
        const idempotencyKey = `adjust:test:${organizationId}:${entries}`;
        const credit = { organizationId, amount, idempotencyKey };
        await postSystemCredit(transaction, { kind: "adjustment", ...credit, reason: "Test credit" });
      }),
    createKey: async ({ token, teamId }, fields = {}) => {
      const made = await api("POST", "/api/gw/api-keys", { token, body: { name: "ci", team_id: teamId, ...fields } });
      if (made.status !== 201) throw new Error(`no key was made: ${made.status} ${made.text}`);
      return made.body.apiKey;
    },
    reload: async (next) => {
      const read = settingsOf(origin, next);
      await gateway.reload(read);
      await platform.reload(read);
    },
    stop: async () => {
      platform.refuseNew();
      await gateway.stop(STOP_MS);
      await platform.stop();
      await rm(journalRoot, { recursive: true, force: true });
    },
  };
}

function settingsOf(origin: string, yaml: string) {
  const target = `api_base: "${origin}/v1", api_key: sk-upstream-0123456789`;
  const price = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002";
  return testSettings(`
model_list:
  - { model_name: metered, litellm_params: { model: openai/m1, ${target}, ${price} }, model_info: { id: metered-1 } }
billing: { provider: fake }
auth: { adminTotp: optional }
${yaml.includes("limits:") ? "" : ROOMY_LIMITS}
${yaml}
`);
}

/** A test function with the platform hosted in a gateway and a fake upstream, which all tests in a file share. */
export const test = engines
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the required fixtures from the pattern.
  .extend("upstream", { scope: "file" }, async ({}, { onCleanup }) => {
    const upstream = await startFakeUpstream();
    onCleanup(() => upstream.close());
    return upstream;
  })
  .extend("hosted", { scope: "file" }, async ({ database, upstream }, { onCleanup }) => {
    const hosted = await startHostedPlatform(database, upstream.origin);
    onCleanup(() => hosted.stop());
    return hosted;
  });
