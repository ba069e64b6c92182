import type { OrganizationRole, TeamRole } from "@tollgate/domain/roles/roles.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import type { ImportOutcome } from "./compare-record.ts";
import { type BudgetImport, importBudget } from "./import-budget.ts";
import { type ImportContext, importer } from "./importer.ts";

export interface PersonImport {
  /** Normalized email address. */
  readonly email: string;
  readonly name: string;
  readonly organizations: readonly { readonly id: string; readonly role: Exclude<OrganizationRole, "owner"> }[];
  readonly teams: readonly { readonly id: string; readonly organizationId: string; readonly role: TeamRole }[];
  /** Personal budgets by organization. */
  readonly budgets: readonly { readonly organizationId: string; readonly budget: BudgetImport }[];
}

/**
 * If the email address has no account, creates one with a random password that no one knows. Adds the memberships. An
 * existing account keeps its name, password, and roles.
 */
export async function importPerson(
  transaction: TenantTransaction,
  { email, name, organizations, teams, budgets }: PersonImport,
  passwordHash: string,
  context: ImportContext,
): Promise<ImportOutcome> {
  const { now } = context;
  const known = await findPerson(transaction, email);
  if (known !== null && known.status !== "active") return { kind: "kept", reason: `the account is ${known.status}` };
  if (known?.isProven === false) {
    return {
      kind: "kept",
      reason: "an existing account has this email address but never verified it; verify or delete it first",
    };
  }
  const userId = known?.id ?? (await addAccount(transaction, email, name, passwordHash, context));
  const fields = new Set<string>();
  for (const { id, role } of organizations) {
    const added = await transaction
      .insertInto("organization_members")
      .values({ organization_id: id, user_id: userId, role, joined_at: now })
      .onConflict((conflict) => conflict.columns(["organization_id", "user_id"]).doNothing())
      .executeTakeFirst();
    if ((added.numInsertedOrUpdatedRows ?? 0n) === 0n) continue;
    fields.add("organizations");
    await auditMember(context, transaction, id, userId, { role });
  }
  for (const { id, organizationId, role } of teams) {
    const added = await transaction
      .insertInto("team_members")
      .values({ organization_id: organizationId, team_id: id, user_id: userId, role, joined_at: now })
      .onConflict((conflict) => conflict.columns(["team_id", "user_id"]).doNothing())
      .executeTakeFirst();
    if ((added.numInsertedOrUpdatedRows ?? 0n) === 0n) continue;
    fields.add("teams");
    await auditMember(context, transaction, organizationId, userId, { role, teamId: id });
  }
  for (const { organizationId, budget } of budgets) {
    const owner = { organizationId, scope: "user", scopeId: String(userId) } as const;
    if (await importBudget(transaction, owner, budget)) fields.add("budget");
  }
  if (known === null) return { kind: "created" };
  return fields.size === 0 ? { kind: "unchanged" } : { kind: "changed", fields: [...fields] };
}

interface KnownPerson {
  readonly id: number;
  readonly status: string;
  /**
   * True if the address is verified, or if an import created the account and it was never used. An account that signed
   * up with another user's address must not get that user's memberships.
   */
  readonly isProven: boolean;
}

/** Finds the account with this address. */
export async function findPerson(transaction: TenantTransaction, email: string): Promise<KnownPerson | null> {
  const row = await transaction
    .selectFrom("users")
    .select([
      "id",
      "status",
      // Unlike a sign-up, an import does not create an organization.
      sql<boolean>`email_verified_at is not null or last_login_at is null
        and not exists (select from organizations where owner_id = users.id)`.as("isProven"),
    ])
    .where("email", "=", email)
    .executeTakeFirst();
  return row ?? null;
}

async function addAccount(
  transaction: TenantTransaction,
  email: string,
  name: string,
  passwordHash: string,
  { now, audit }: ImportContext,
): Promise<number> {
  const { id } = await transaction
    .insertInto("users")
    .values({ email, name, created_at: now, updated_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  // Credentials are accessible only to unauthenticated transactions.
  await sql`select set_config('tollgate.door', 'on', true)`.execute(transaction);
  await transaction
    .insertInto("user_credentials")
    .values({ user_id: id, password_hash: passwordHash, password_changed_at: now })
    .execute();
  await sql`select set_config('tollgate.door', '', true)`.execute(transaction);
  await audit(transaction, {
    organizationId: null,
    actor: importer,
    action: "user.signed_up",
    target: { type: "user", id: String(id) },
    after: { role: "user", importedFrom: "litellm" },
    personal: { after: { email, name } },
    subjects: [id],
  });
  return id;
}

function auditMember(
  { audit }: ImportContext,
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
  after: Readonly<Record<string, string>>,
): Promise<void> {
  return audit(transaction, {
    organizationId,
    actor: importer,
    action: "member.added",
    target: { type: "user", id: String(userId) },
    after: { ...after, importedFrom: "litellm" },
    subjects: [userId],
  });
}
