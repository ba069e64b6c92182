import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { findPerson, importPerson } from "@tollgate/db/import/import-person.ts";
import { updateOrganization } from "@tollgate/db/organizations/update-organization.ts";
import { runAsAdministrator, runInOrganization } from "@tollgate/db/tenancy.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { NANO_PER_CENT, NANO_PER_USD, type NanoUsd } from "@tollgate/domain/money.ts";
import { createKey } from "@tollgate/platform/keys/create-key.ts";
import { makeSecret } from "@tollgate/platform/keys/make-secret.ts";
import { createTeam } from "@tollgate/platform/teams/create-team.ts";
import { DEMO_KEYS, DEMO_ORGANIZATION, DEMO_TEAMS, type DemoKey, type DemoMember, type DemoTeam } from "./demo-cast.ts";

/** The balance never falls below this amount in the demo's month. */
const LOW_BALANCE = 10n * NANO_PER_USD;

/** The user on whose behalf the demo's accounts are created. */
export interface DemoOwner {
  readonly organizationId: string;
  readonly userId: number;
  readonly email: string;
}

/** A created key, with what a journal record says about its caller. */
interface CreatedKey {
  readonly id: string;
  readonly teamId: string;
  readonly userId: number;
}

/** Creates the demo's teams, members, and keys with the rules of the management API. */
export class DemoAccounts {
  readonly #db: Database;
  readonly #owner: DemoOwner;
  readonly #passwordHash: string;
  readonly #teams = new Map<string, string>();
  readonly #members = new Map<string, { readonly id: number; readonly email: string }>();
  readonly keys = new Map<string, CreatedKey>();

  /** `passwordHash` belongs to a password that no one knows, because no one signs in as these members. */
  constructor(db: Database, owner: DemoOwner, passwordHash: string) {
    this.#db = db;
    this.#owner = owner;
    this.#passwordHash = passwordHash;
  }

  async setUpOrganization(now: Date): Promise<void> {
    const { organizationId, userId } = this.#owner;
    const changes = { name: DEMO_ORGANIZATION, lowBalanceThreshold: LOW_BALANCE };
    await runInOrganization(
      this.#db,
      organizationId,
      (transaction) => updateOrganization(transaction, organizationId, changes, now),
      userId,
    );
  }

  async addTeam({ name, budgetCents }: DemoTeam, now: Date): Promise<void> {
    const { organizationId, userId, email } = this.#owner;
    const id = makePrefixedId("team", now.getTime());
    const budget = budgetCents === null ? null : { limit: BigInt(budgetCents) * NANO_PER_CENT, period: "monthly" };
    await runInOrganization(
      this.#db,
      organizationId,
      (transaction) =>
        createTeam(
          transaction,
          { id, organizationId, name, creatorId: userId, budget },
          {
            limits: { teamsPerOrganization: DEMO_TEAMS.length + 1 },
            actor: { type: "user", id: userId, email },
            audited: { name, budget },
          },
          now,
        ),
      userId,
    );
    this.#teams.set(name, id);
  }

  async addMember(member: DemoMember, now: Date): Promise<void> {
    const { organizationId, userId: ownerId, email: ownerEmail } = this.#owner;
    const { name, email, role } = member;
    const teams = member.teams.map((team) => ({ id: this.#teamOf(team), organizationId, role: "member" as const }));
    const id = await runAsAdministrator(this.#db, async (transaction) => {
      await importPerson(
        transaction,
        { email, name, organizations: [{ id: organizationId, role }], teams, budgets: [] },
        this.#passwordHash,
        {
          now,
          // The import is only a way to create a member without an organization of their own.
          audit: (inner, { after, ...entry }) => {
            const { importedFrom: _, ...changes } = after ?? {};
            const actor = { type: "user", id: ownerId, email: ownerEmail } as const;
            return writeAudit(inner, { ...entry, actor, after: changes });
          },
          createKey: () => Promise.reject(new Error("a member has no keys to import")),
        },
      );
      return (await findPerson(transaction, email))?.id;
    });
    if (id === undefined) throw new Error(`${email} was not created`);
    this.#members.set(email, { id, email });
  }

  /** `limit` is the key's budget; null for none. */
  async addKey(key: DemoKey, limit: NanoUsd | null, now: Date): Promise<void> {
    const { organizationId } = this.#owner;
    const { name } = key;
    const creator = this.#members.get(key.creator);
    if (creator === undefined) throw new Error(`${key.creator} is not a member yet`);
    const { id: userId } = creator;
    const id = makePrefixedId("key", now.getTime());
    const teamId = this.#teamOf(key.team);
    const limits = { rpm: key.requestsPerMinute ?? null };
    const budget = limit === null ? null : { limit };
    await runInOrganization(
      this.#db,
      organizationId,
      (transaction) =>
        createKey(
          transaction,
          { id, organizationId, teamId, userId, name, ...makeSecret().stored, models: null, limits, budget },
          {
            kind: "manager",
            roles: null,
            maxKeysPerTeam: DEMO_KEYS.length,
            actor: { type: "user", id: userId, email: creator.email },
            audited: { name, teamId, budget, rateLimit: limits },
          },
          now,
        ),
      userId,
    );
    this.keys.set(name, { id, teamId, userId });
  }

  #teamOf(name: string): string {
    const id = this.#teams.get(name);
    if (id === undefined) throw new Error(`the team ${name} does not exist yet`);
    return id;
  }
}
