import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "@tollgate/domain/secret.ts";
import { createLogger } from "@tollgate/runtime/logger.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { defaultPlatformSettings, type PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { type Api, createApi } from "@tollgate/testkit/api-client.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { createPasswordHasher } from "./adapters/argon2-hasher.ts";
import { createDatabaseSigningKeys } from "./adapters/database-signing-keys.ts";
import { createFakeBilling } from "./adapters/fake-billing.ts";
import { createTokenIssuer } from "./adapters/jose-token-issuer.ts";
import { createPlatform } from "./app.ts";
import { createThrottle } from "./http/create-throttle.ts";
import { createHub } from "./hub/hub.ts";
import { createPeople, type TestPeople } from "./people.fixture.ts";
import type { Services } from "./services.ts";
import { createCallTail } from "./usage/call-tail.ts";
import { SearchTurns } from "./usage/search-turns.ts";

/** A platform on a real socket with a real database and test users. */
export interface TestPlatform extends TestPeople {
  readonly url: string;
  readonly services: Services;
  /** Advances only the platform's clock. */
  advance(ms: number): void;
  readonly api: Api;
  close(): Promise<void>;
}

export interface PlatformOptions {
  readonly settings?: Partial<PlatformSettings>;
  readonly services?: Partial<Services>;
  /** Secret keys, newest first; defaults to a test key. */
  readonly secretKeys?: readonly Secret[];
}

/** A gateway without deployments. */
const noDeployments: Services["deployments"] = {
  list: () => [],
  routing: () => {
    throw new Error("no routing in this test");
  },
  simulate: () => ({ steps: [], chosen: [] }),
};

/** Limits that are high enough that no test reaches them by accident. */
const roomyLimits: PlatformSettings["limits"] = {
  ...defaultPlatformSettings.limits,
  callsPerMinutePerUser: 1_000_000,
  openCallsPerMinutePerAddress: 1_000_000,
  signUpsPerHourPerAddress: 1_000_000,
  loginsPerMinutePerAddress: 1_000_000,
  resetsPerHourPerAddress: 1_000_000,
};

const ASSISTANT_LIMITS = {
  runs: {
    queuedRunsPerKey: 200,
    queuedRunsPerOrganization: 1_000,
    listenersPerKey: 100,
    listenersPerOrganization: 500,
  },
  storage: { perKey: 2_000_000_000, perOrganization: 10_000_000_000, withoutCredit: 10_000_000 },
};

export async function startTestPlatform(database: TestDatabase, options: PlatformOptions = {}): Promise<TestPlatform> {
  let shiftMs = 0;
  const now = () => new Date(Date.now() + shiftMs);
  const settings: PlatformSettings = {
    ...defaultPlatformSettings,
    billing: { ...defaultPlatformSettings.billing, provider: "fake" },
    auth: { ...defaultPlatformSettings.auth, adminTotp: "optional" },
    limits: roomyLimits,
    ...options.settings,
  };
  const db = database.connect("tollgate_platform");
  // Use one secret key per database, so that several platforms on that database can read each other's tokens.
  const ownKey = new Secret(`${database.name}, the key of a test`.padEnd(32, "."));
  const secrets = createSecretBox(options.secretKeys ?? [ownKey]);
  const keys = createDatabaseSigningKeys(db, secrets, () => performance.now());
  const services: Services = {
    db,
    reportDb: database.connect("tollgate_platform"),
    settings: () => settings,
    now,
    passwords: createPasswordHasher(),
    tokens: createTokenIssuer(keys, () => settings.auth.tokenTtlSeconds, now),
    secrets,
    billing: createFakeBilling({ webhookSecrets: () => settings.billing.stripeWebhookSecrets, now }),
    models: {
      list: () => [],
      has: () => false,
      kinds: () => [
        { name: "openai", needsBaseUrl: false },
        { name: "openai_compatible", needsBaseUrl: true },
        { name: "sim", needsBaseUrl: false },
      ],
    },
    deployments: noDeployments,
    monitor: { look: async () => null, test: async () => null },
    assistantLimits: () => ASSISTANT_LIMITS,
    shownSettings: () => [],
    training: { list: async () => null, find: async () => null, open: async () => null },
    gateway: { call: () => Promise.reject(new Error("no gateway in this test")) },
    callTail: createCallTail({ db, onAway: () => {} }),
    searchTurns: new SearchTurns(),
    hub: createHub({ source: { isPublic: () => false, list: () => [] }, db, reportDb: db, now }),
    // Resolves every host name to the same IP address, without network access.
    resolveHost: async () => ["93.184.215.14"],
    logger: createLogger("platform test", "silent"),
    ...options.services,
  };
  const handler = await createPlatform(
    services,
    createThrottle(settings.limits, null, () => performance.now()),
  );
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    services,
    advance: (ms) => {
      shiftMs += ms;
    },
    api: createApi(url),
    ...createPeople(services),
    close: async () => {
      services.callTail.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
