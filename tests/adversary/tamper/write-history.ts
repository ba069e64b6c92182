import { createAccount } from "@tollgate/db/accounts/create-account.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { connect, type Database, type DatabaseRole } from "@tollgate/db/connect.ts";
import { importPerson } from "@tollgate/db/import/import-person.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { type LedgerHistory, makeEvent, writeHistory } from "@tollgate/db/ledger/verify/ledger-history.fixture.ts";
import { createOrganization } from "@tollgate/db/organizations/create-organization.ts";
import { blockByOperator } from "@tollgate/db/teams/block-by-operator.ts";
import { insertTeam } from "@tollgate/db/teams/insert-team.ts";
import { runAsAdministrator, runUnauthenticated } from "@tollgate/db/tenancy.ts";
import { changeUser } from "@tollgate/db/users/change-user.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { Random } from "../../random.ts";

/** A ledger's history with every kind of record that a case changes. */
export interface TamperHistory extends LedgerHistory {
  /** The organization of a user who signed up and got welcome credit. */
  readonly signedUp: { readonly organizationId: string; readonly userId: number; readonly teamId: string };
  /** An organization that the same user created later. No other chain mentions it. */
  readonly secondId: string;
  /** A member of the payer's organization and team. */
  readonly memberId: number;
  readonly disabledId: number;
  /** A team of the payer that an administrator blocked. */
  readonly blockedTeamId: string;
  /** A settled request of today that isn't the largest of its rollup. */
  readonly requestId: string;
  /** A settled request of a closed day. */
  readonly closedRequestId: string;
}

const CALLS = 30;
const WELCOME = 5_000_000_000n;
const SYSTEM = { type: "system", id: null } as const;

/**
 * Writes the history with the functions of production: settlement, payments, sign-up, members, and blocks. Signs a
 * checkpoint in between.
 */
export async function writeTamperHistory(
  connectionString: string,
  random: Random,
  sign: () => Promise<void>,
): Promise<TamperHistory> {
  const pools: Database[] = [];
  const open = (role: DatabaseRole): Database => {
    const pool = connect({ connectionString, role, poolSize: 2, applicationName: "adversary" });
    pools.push(pool);
    return pool;
  };
  try {
    const history = await writeHistory({ connectionString, connect: open });
    const platform = open("tollgate_platform");
    await sign();
    const requestId = await settleMore(open("tollgate_worker"), history, random);
    const signedUp = await signUp(platform);
    const people = await addPeople(platform, history);
    const secondId = await addOrganization(platform, signedUp.userId);
    const blockedTeamId = await addBlockedTeam(platform, history);
    // The last entry of a chain that no other record depends on.
    await runAsAdministrator(platform, (transaction) =>
      writeAudit(transaction, {
        organizationId: history.payer.organizationId,
        actor: SYSTEM,
        action: "log.viewed",
        target: { type: "organization", id: history.payer.organizationId },
      }),
    );
    const closedRequestId = history.events[1]?.id ?? "";
    return { ...history, signedUp, ...people, secondId, blockedTeamId, requestId, closedRequestId };
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

/** Settles more requests of the payer, of random sizes. Returns the ID of the smallest. */
async function settleMore(worker: Database, history: LedgerHistory, random: Random): Promise<string> {
  const { payer, nodeId, epoch, priceVersionId } = history;
  const events = Array.from({ length: CALLS }, (_, index) =>
    makeEvent({
      tenant: payer,
      atMs: Date.now(),
      outputTokens: index === 0 ? 1 : random.integer(2, 500),
      nodeId,
      epoch,
      priceVersionId,
      hold: 0n,
      fromLease: 0n,
    }),
  );
  const outcomes = await settleUsage(worker, events);
  const settled = [...outcomes.values()].filter((outcome) => outcome === "settled").length;
  if (settled !== CALLS) throw new Error(`${settled} of ${CALLS} requests were settled`);
  return events[0]?.id ?? "";
}

function signUp(platform: Database): Promise<TamperHistory["signedUp"]> {
  return runUnauthenticated(platform, async (transaction) => {
    const account = await createAccount(transaction, {
      email: "ada@example.org",
      name: "Ada",
      role: "user",
      passwordHash: "none",
      isEmailVerified: true,
      organizationName: null,
      hasDefaultTeam: true,
      welcomeGrant: WELCOME,
      now: new Date(),
    });
    if (account.kind !== "created" || account.team === null) throw new Error("the account was not created");
    const { userId, organization, team } = account;
    await writeAudit(transaction, {
      organizationId: null,
      actor: { type: "user", id: userId, email: "ada@example.org" },
      action: "user.signed_up",
      target: { type: "user", id: String(userId) },
      after: { role: "user", organizationId: organization.id, teamId: team.id },
    });
    return { organizationId: organization.id, userId, teamId: team.id };
  });
}

async function addPeople(
  platform: Database,
  { payer }: LedgerHistory,
): Promise<{ readonly memberId: number; readonly disabledId: number }> {
  const add = async (name: string): Promise<number> => {
    const email = `${name.toLowerCase()}@example.org`;
    return runAsAdministrator(platform, async (transaction) => {
      const { organizationId, teamId: id } = payer;
      const teams = [{ id, organizationId, role: "member" as const }];
      const person = {
        email,
        name,
        organizations: [{ id: organizationId, role: "member" as const }],
        teams,
        budgets: [],
      };
      const createKey = () => Promise.reject(new Error("a person has no key to import"));
      await importPerson(transaction, person, "none", { now: new Date(), audit: writeAudit, createKey });
      const { id: userId } = await transaction
        .selectFrom("users")
        .select("id")
        .where("email", "=", email)
        .executeTakeFirstOrThrow();
      return userId;
    });
  };
  const [memberId, disabledId] = [await add("Bob"), await add("Eve")];
  await runAsAdministrator(platform, async (transaction) => {
    await changeUser(transaction, disabledId, { status: "disabled" }, new Date());
    await writeAudit(transaction, {
      organizationId: null,
      actor: SYSTEM,
      action: "user.disabled",
      target: { type: "user", id: String(disabledId) },
      before: { status: "active" },
      after: { status: "disabled" },
    });
  });
  return { memberId, disabledId };
}

async function addOrganization(platform: Database, userId: number): Promise<string> {
  const id = makePrefixedId("org", Date.now());
  await runUnauthenticated(platform, async (transaction) => {
    await createOrganization(
      transaction,
      { id, name: "Second", ownerId: userId },
      { organizationsPerOwner: 10 },
      new Date(),
    );
    await writeAudit(transaction, {
      organizationId: id,
      actor: { type: "user", id: userId },
      action: "org.created",
      target: { type: "organization", id },
      after: { ownerId: userId },
    });
  });
  return id;
}

async function addBlockedTeam(platform: Database, { payer }: LedgerHistory): Promise<string> {
  const { organizationId } = payer;
  const id = makePrefixedId("team", Date.now());
  await runAsAdministrator(platform, async (transaction) => {
    await insertTeam(transaction, { id, organizationId, name: "Blocked" });
    await blockByOperator(transaction, id, new Date());
    await writeAudit(transaction, {
      organizationId,
      actor: SYSTEM,
      action: "team.blocked",
      target: { type: "team", id },
      before: { status: "active", blockedReason: null },
      after: { status: "blocked", blockedReason: "admin" },
    });
  });
  return id;
}
