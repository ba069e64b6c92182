import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { makeLinkToken } from "@tollgate/domain/identity/link-token.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { defaultPlatformSettings, type PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { onTestFinished } from "vitest";
import type { TestUser } from "../people.fixture.ts";
import { type PlatformOptions, startTestPlatform, type TestPlatform } from "../platform.fixture.ts";

export const PASSWORD = "violets in the rain";
let made = 0;
const jobsBefore = new WeakMap<TestPlatform, number>();

/** Returns an email address that no other test in the file uses. */
export function makeAddress(): string {
  made += 1;
  return `person-${made}@example.org`;
}

/** Starts a platform for one test. */
export async function startIdentity(database: TestDatabase, options: PlatformOptions = {}): Promise<TestPlatform> {
  const platform = await startTestPlatform(database, options);
  onTestFinished(() => platform.close());
  jobsBefore.set(platform, (await readJobs(database)).length);
  return platform;
}

/** Returns settings with email configured. No email is sent, because no worker is running. */
export function withMail(signUp: Partial<PlatformSettings["signUp"]> = {}): Partial<PlatformSettings> {
  return {
    publicUrl: "https://console.example.org",
    mail: { ...defaultPlatformSettings.mail, url: new Secret("smtp://mail.example.org") },
    signUp: { ...defaultPlatformSettings.signUp, ...signUp },
  };
}

/** Signs up a new user. */
export async function signUpUser(platform: TestPlatform, body: Readonly<Record<string, unknown>> = {}) {
  const email = makeAddress();
  const answer = await platform.api("POST", "/api/auth/sign-up", { body: { email, password: PASSWORD, ...body } });
  return { email, ...answer.body };
}

export const signIn = (platform: TestPlatform, email: string, password = PASSWORD, more = {}) =>
  platform.api("POST", "/api/auth/token", { body: { email, password, ...more } });

export const whoAmI = (platform: TestPlatform, token: string) => platform.api("GET", "/api/auth/me", { token });

/** Creates an invitation to the inviter's team and returns the token that an email would contain. */
export async function invite(platform: TestPlatform, inviter: TestUser, email: string): Promise<string> {
  const { token, digest } = makeLinkToken();
  const now = platform.services.now();
  await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .insertInto("invitations")
      .values({
        id: makePrefixedId("inv", now.getTime()),
        organization_id: inviter.organizationId,
        team_id: inviter.teamId,
        email,
        role: "member",
        token_digest: digest,
        invited_by: inviter.userId,
        expires_at: new Date(now.getTime() + 7 * 24 * 3_600_000),
      })
      .execute(),
  );
  return token;
}

interface QueuedMail {
  readonly to: string | null;
  readonly template: string;
  readonly data: { readonly link?: string; readonly name?: string };
}

/** Returns the decrypted emails that this platform queued, in order. */
export async function readMails(platform: TestPlatform, database: TestDatabase): Promise<readonly QueuedMail[]> {
  const jobs = await readJobs(database);
  const { secrets } = platform.services;
  return jobs.slice(jobsBefore.get(platform)).map(({ payload }) => JSON.parse(secrets.open(payload.sealed, "mail")));
}

function readJobs(database: TestDatabase): Promise<{ payload: { sealed: string } }[]> {
  return querySql(database.connectionString, "select payload from graphile_worker._private_jobs order by id");
}

export const tokenOf = (mail: QueuedMail | undefined): string => mail?.data.link?.split("#token=")[1] ?? "";

interface AuditRow {
  readonly action: string;
  readonly actor: { readonly type: string; readonly id: number | null };
  readonly target: { readonly type: string; readonly id: string };
  readonly personal: Readonly<Record<string, unknown>>;
  readonly subjects: readonly number[];
}

/** Returns the audit entries whose personal data contains this email address. */
export async function readAudit(database: TestDatabase, email: string): Promise<readonly AuditRow[]> {
  const rows = await database
    .connect("tollgate_worker")
    .selectFrom("audit_log as a")
    .innerJoin("audit_personal as p", "p.audit_id", "a.id")
    .select(["a.action", "a.actor", "a.target", "p.personal", "p.subjects"])
    .orderBy("a.seq")
    .execute();
  return (rows as unknown as readonly AuditRow[]).filter(({ personal }) => personal.email === email);
}
