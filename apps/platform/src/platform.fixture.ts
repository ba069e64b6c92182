import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { actAsAdministrator, actAtDoor } from "@tollgate/db/tenancy.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { OrganizationRole, TeamRole } from "@tollgate/domain/roles/roles.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createLogger } from "@tollgate/runtime/logger.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { defaultPlatformSettings, type PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { type Api, createApi } from "@tollgate/testkit/api-client.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { createPasswordHasher } from "./adapters/argon2-hasher.ts";
import { createDatabaseSigningKeys } from "./adapters/database-signing-keys.ts";
import { createFakeBilling } from "./adapters/fake-billing.ts";
import { createThrottle } from "./adapters/flexible-throttle.ts";
import { createTokenIssuer } from "./adapters/jose-token-issuer.ts";
import { createPlatform } from "./app.ts";
import type { Services } from "./services.ts";

/** A platform on a real socket over a real database, with people in it. */
export interface TestPlatform {
  readonly url: string;
  readonly services: Services;
  /** The clock of the platform: moving it moves nothing else. */
  advance(ms: number): void;
  readonly api: Api;
  addUser(options?: UserOptions): Promise<TestUser>;
  /** Another member of an organization that exists, with a session active in it. */
  addMember(
    organizationId: string,
    role: OrganizationRole,
    teams?: Readonly<Record<string, TeamRole>>,
  ): Promise<TestUser>;
  close(): Promise<void>;
}

export interface UserOptions {
  readonly role?: "user" | "admin";
  readonly email?: string;
  readonly name?: string;
  /** Stored as it is; null for a person who never signs in by password. */
  readonly passwordHash?: string;
}

export interface TestUser {
  readonly userId: number;
  readonly email: string;
  readonly token: string;
  readonly sessionId: string;
  readonly organizationId: string;
  /** Of the organization they were made with; the team "Default". */
  readonly teamId: string;
}

export interface PlatformOptions {
  readonly settings?: Partial<PlatformSettings>;
  readonly services?: Partial<Services>;
  /** The installation's, the newest first; one of the test's own unless told. */
  readonly secretKeys?: readonly Secret[];
}

/** Limits that no test reaches by accident. */
const roomyLimits: PlatformSettings["limits"] = {
  ...defaultPlatformSettings.limits,
  callsPerMinutePerUser: 1_000_000,
  openCallsPerMinutePerAddress: 1_000_000,
  signUpsPerHourPerAddress: 1_000_000,
  loginsPerMinutePerAddress: 1_000_000,
  resetsPerHourPerAddress: 1_000_000,
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
  // One key per database, so that several platforms over one database read each other's tokens.
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
    gateway: { call: () => Promise.reject(new Error("no gateway in this test")) },
    // Names of the internet, without the internet: every one of them leads to the same place.
    resolveHost: async () => ["93.184.215.14"],
    logger: createLogger("platform test", "silent"),
    ...options.services,
  };
  const handler = await createPlatform(services, createThrottle(settings.limits, null));
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const openSession = async (userId: number, organizationId: string, role: string) => {
    const sessionId = makePrefixedId("ses", Date.now());
    const jti = randomUUID();
    const at = now();
    await actAtDoor(db, async (transaction) => {
      await transaction
        .insertInto("sessions")
        .values({
          id: sessionId,
          user_id: userId,
          current_jti: jti,
          active_organization_id: organizationId,
          created_at: at,
          rotated_at: at,
          authenticated_at: at,
          last_seen_at: at,
          expires_at: new Date(at.getTime() + 30 * 24 * 3_600_000),
        })
        .execute();
    });
    const { token } = await services.tokens.issue({ userId, sessionId, jti, role });
    return { sessionId, token };
  };
  const addAccount = async ({ role = "user", email, name = "Test User", passwordHash }: UserOptions) => {
    const address = email ?? `user-${randomBytes(6).toString("hex")}@example.org`;
    return actAtDoor(db, async (transaction) => {
      const { id } = await transaction
        .insertInto("users")
        .values({ email: address, name, role, email_verified_at: now() })
        .returning("id")
        .executeTakeFirstOrThrow();
      await transaction
        .insertInto("user_credentials")
        .values({ user_id: id, password_hash: passwordHash ?? "none" })
        .execute();
      return { userId: id, email: address };
    });
  };
  return {
    url,
    services,
    advance: (ms) => {
      shiftMs += ms;
    },
    api: createApi(url),
    addUser: async (user = {}) => {
      const account = await addAccount(user);
      const organizationId = makePrefixedId("org", Date.now());
      const teamId = makePrefixedId("team", Date.now());
      await actAsAdministrator(db, async (transaction) => {
        await transaction
          .insertInto("organizations")
          .values({ id: organizationId, name: "Test organization", owner_id: account.userId, is_personal: true })
          .execute();
        await transaction
          .insertInto("organization_members")
          .values({ organization_id: organizationId, user_id: account.userId, role: "owner" })
          .execute();
        await transaction
          .insertInto("teams")
          .values({ id: teamId, organization_id: organizationId, name: "Default" })
          .execute();
        await transaction
          .insertInto("team_members")
          .values({ organization_id: organizationId, team_id: teamId, user_id: account.userId, role: "admin" })
          .execute();
      });
      return {
        ...account,
        organizationId,
        teamId,
        ...(await openSession(account.userId, organizationId, user.role ?? "user")),
      };
    },
    addMember: async (organizationId, role, teams = {}) => {
      const account = await addAccount({});
      await actAsAdministrator(db, async (transaction) => {
        await transaction
          .insertInto("organization_members")
          .values({ organization_id: organizationId, user_id: account.userId, role })
          .execute();
        for (const [teamId, teamRole] of Object.entries(teams)) {
          await transaction
            .insertInto("team_members")
            .values({ organization_id: organizationId, team_id: teamId, user_id: account.userId, role: teamRole })
            .execute();
        }
      });
      const session = await openSession(account.userId, organizationId, "user");
      return { ...account, organizationId, teamId: Object.keys(teams)[0] ?? "", ...session };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
