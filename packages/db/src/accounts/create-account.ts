import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import { postSystemCredit } from "../credits/post-system-credit.ts";
import { enterOrganization, type TenantTransaction } from "../tenancy.ts";

const DEFAULT_TEAM_NAME = "Default";
const MAX_NAME_LENGTH = 100;

interface NewAccount {
  /** Normalized email address: trimmed and lowercase. */
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly passwordHash: string;
  readonly isEmailVerified: boolean;
  /** Null to name the organization after the user. */
  readonly organizationName: string | null;
  readonly hasDefaultTeam: boolean;
  /** Zero for no welcome credit. */
  readonly welcomeGrant: NanoUsd;
  readonly now: Date;
}

export interface Account {
  readonly userId: number;
  readonly organization: { readonly id: string; readonly name: string };
  readonly team: { readonly id: string; readonly name: string } | null;
}

type AccountOutcome = ({ readonly kind: "created" } & Account) | { readonly kind: "email_taken" };

/**
 * Creates a user in an unauthenticated transaction, with an organization, its team, and its welcome credit, all or
 * nothing. Afterward, the transaction is scoped to that organization.
 */
export async function createAccount(transaction: TenantTransaction, account: NewAccount): Promise<AccountOutcome> {
  const { email, name, role, passwordHash, now } = account;
  const user = await transaction
    .insertInto("users")
    .values({ email, name, role, email_verified_at: account.isEmailVerified ? now : null, created_at: now })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (user === undefined) return { kind: "email_taken" };
  await transaction
    .insertInto("user_credentials")
    .values({ user_id: user.id, password_hash: passwordHash, password_changed_at: now })
    .execute();
  const organization = {
    id: makePrefixedId("org", now.getTime()),
    name: account.organizationName ?? nameOrganizationOf(name),
  };
  await openOrganization(transaction, organization, user.id, account);
  const team = account.hasDefaultTeam ? await openTeam(transaction, organization.id, user.id, now) : null;
  if (account.welcomeGrant > 0n) {
    await postSystemCredit(transaction, {
      kind: "grant",
      organizationId: organization.id,
      amount: account.welcomeGrant,
      idempotencyKey: `grant:welcome:${organization.id}`,
      reason: "Welcome credit",
    });
  }
  return { kind: "created", userId: user.id, organization, team };
}

/**
 * Reports whether no account exists yet. An advisory lock makes concurrent callers wait until this transaction ends.
 */
export async function isEmptyInstallation(transaction: TenantTransaction): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended('tollgate:first-account', 0))`.execute(transaction);
  return !(await hasAnyAccount(transaction));
}

/** Reports whether any account exists, without a lock. */
export async function hasAnyAccount(transaction: TenantTransaction): Promise<boolean> {
  return (await transaction.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

async function openOrganization(
  transaction: TenantTransaction,
  { id, name }: Account["organization"],
  userId: number,
  { now }: NewAccount,
): Promise<void> {
  await enterOrganization(transaction, id);
  await transaction
    .insertInto("organizations")
    .values({ id, name, owner_id: userId, is_personal: true, created_at: now, updated_at: now })
    .execute();
  await transaction
    .insertInto("organization_members")
    .values({ organization_id: id, user_id: userId, role: "owner", joined_at: now })
    .execute();
}

async function openTeam(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
  now: Date,
): Promise<NonNullable<Account["team"]>> {
  const team = { id: makePrefixedId("team", now.getTime()), name: DEFAULT_TEAM_NAME };
  await transaction
    .insertInto("teams")
    .values({ ...team, organization_id: organizationId, created_at: now, updated_at: now })
    .execute();
  await transaction
    .insertInto("team_members")
    .values({ organization_id: organizationId, team_id: team.id, user_id: userId, role: "admin", joined_at: now })
    .execute();
  return team;
}

function nameOrganizationOf(name: string): string {
  const suffix = "'s organization";
  return (
    Array.from(name)
      .slice(0, MAX_NAME_LENGTH - suffix.length)
      .join("") + suffix
  );
}
