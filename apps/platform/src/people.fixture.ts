import { randomBytes, randomUUID } from "node:crypto";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runAsAdministrator, runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { OrganizationRole, TeamRole } from "@tollgate/domain/roles/roles.ts";
import type { Services } from "./services.ts";

/** Adds users with sessions to a platform's database. */
export interface TestPeople {
  /** Adds a user with a new organization. */
  addUser(options?: UserOptions): Promise<TestUser>;
  /** Adds a member to an existing organization, with a session in which that organization is active. */
  addMember(
    organizationId: string,
    role: OrganizationRole,
    teams?: Readonly<Record<string, TeamRole>>,
  ): Promise<TestUser>;
}

interface UserOptions {
  readonly role?: "user" | "admin";
  readonly email?: string;
  readonly name?: string;
  /** Password hash, stored unchanged. Without a hash, the user can't sign in with a password. */
  readonly passwordHash?: string;
}

export interface TestUser {
  readonly userId: number;
  readonly email: string;
  readonly token: string;
  readonly sessionId: string;
  readonly organizationId: string;
  /** The "Default" team in the user's original organization. */
  readonly teamId: string;
}

const SYSTEM = { type: "system", id: null } as const;

/** Creates the same rows as a sign-up, with their audit entries, without emails or delays. */
export function createPeople(services: Services): TestPeople {
  return {
    addUser: async (user = {}) => {
      const account = await addAccount(services, user);
      const own = await addOrganization(services, account.userId);
      await auditSignUp(services, account.userId, { role: user.role ?? "user", ...own });
      return { ...account, ...own, ...(await openSession(services, account.userId, own.organizationId, user.role)) };
    },
    addMember: async (organizationId, role, teams = {}) => {
      const account = await addAccount(services);
      await auditSignUp(services, account.userId, { role: "user" });
      await runAsAdministrator(services.db, async (transaction) => {
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
        const added = Object.entries(teams).map(([teamId, teamRole]) => ({ role: teamRole, teamId }));
        for (const after of [{ role }, ...added]) {
          await writeAudit(transaction, {
            organizationId,
            actor: SYSTEM,
            action: "member.added",
            target: { type: "user", id: String(account.userId) },
            after,
          });
        }
      });
      const session = await openSession(services, account.userId, organizationId);
      return { ...account, organizationId, teamId: Object.keys(teams)[0] ?? "", ...session };
    },
  };
}

async function addAccount(
  { db, now }: Services,
  { role = "user", email, name = "Test User", passwordHash }: UserOptions = {},
): Promise<{ readonly userId: number; readonly email: string }> {
  const address = email ?? `user-${randomBytes(6).toString("hex")}@example.org`;
  return runUnauthenticated(db, async (transaction) => {
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
}

async function auditSignUp(
  { db }: Services,
  userId: number,
  after: { readonly role: string; readonly organizationId?: string; readonly teamId?: string },
): Promise<void> {
  const target = { type: "user", id: String(userId) };
  await runAsAdministrator(db, (transaction) =>
    writeAudit(transaction, { organizationId: null, actor: SYSTEM, action: "user.signed_up", target, after }),
  );
}

async function addOrganization(
  { db }: Services,
  userId: number,
): Promise<{ readonly organizationId: string; readonly teamId: string }> {
  const organizationId = makePrefixedId("org", Date.now());
  const teamId = makePrefixedId("team", Date.now());
  await runAsAdministrator(db, async (transaction) => {
    await transaction
      .insertInto("organizations")
      .values({ id: organizationId, name: "Test organization", owner_id: userId, is_personal: true })
      .execute();
    await transaction
      .insertInto("organization_members")
      .values({ organization_id: organizationId, user_id: userId, role: "owner" })
      .execute();
    await transaction
      .insertInto("teams")
      .values({ id: teamId, organization_id: organizationId, name: "Default" })
      .execute();
    await transaction
      .insertInto("team_members")
      .values({ organization_id: organizationId, team_id: teamId, user_id: userId, role: "admin" })
      .execute();
  });
  return { organizationId, teamId };
}

async function openSession(
  { db, now, tokens }: Services,
  userId: number,
  organizationId: string,
  role = "user",
): Promise<{ readonly sessionId: string; readonly token: string }> {
  const sessionId = makePrefixedId("ses", Date.now());
  const jti = randomUUID();
  const at = now();
  await runUnauthenticated(db, async (transaction) => {
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
  const { token } = await tokens.issue({ userId, sessionId, jti, role });
  return { sessionId, token };
}
