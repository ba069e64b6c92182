import { writeAudit } from "../audit/write-audit.ts";
import type { TenantTransaction } from "../tenancy.ts";
import { createAccount } from "./create-account.ts";
import { revokeSessions } from "./sessions.ts";
import { setPassword } from "./set-password.ts";

interface NewAdministrator {
  /** Normalized email address. */
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  /** If true, an existing account also gets this password. */
  readonly replacesPassword: boolean;
  readonly organizationName: string | null;
  readonly now: Date;
}

export type MadeAdministrator =
  | {
      readonly kind: "created";
      readonly userId: number;
      readonly organizationId: string;
      /** The initial team of the organization. */
      readonly teamId: string;
    }
  | { readonly kind: "promoted" | "was_one"; readonly userId: number }
  | { readonly kind: "disabled" };

const OPERATOR = { type: "system", id: null } as const;

/**
 * Grants the administrator role in an unauthenticated transaction, to a new account or to the existing account with
 * this email address.
 */
export async function makeAdministrator(
  transaction: TenantTransaction,
  administrator: NewAdministrator,
): Promise<MadeAdministrator> {
  const { email, name, passwordHash, organizationName, now } = administrator;
  const known = await transaction
    .selectFrom("users")
    .select(["id", "role", "status"])
    .where("email", "=", email)
    .forUpdate()
    .executeTakeFirst();
  if (known !== undefined) return promote(transaction, { ...known, userId: known.id }, administrator);
  const made = await createAccount(transaction, {
    email,
    name,
    role: "admin",
    passwordHash,
    isEmailVerified: true,
    organizationName,
    hasDefaultTeam: true,
    welcomeGrant: 0n,
    now,
  });
  if (made.kind === "email_taken" || made.team === null)
    throw new Error("another process created the account in the meantime");
  await writeAudit(transaction, {
    organizationId: made.organization.id,
    actor: OPERATOR,
    action: "user.signed_up",
    target: { type: "user", id: String(made.userId) },
    after: { role: "admin", organizationId: made.organization.id, teamId: made.team.id },
    personal: { after: { email, name } },
    subjects: [made.userId],
  });
  return { kind: "created", userId: made.userId, organizationId: made.organization.id, teamId: made.team.id };
}

async function promote(
  transaction: TenantTransaction,
  { userId, role, status }: { readonly userId: number; readonly role: string; readonly status: string },
  { passwordHash, replacesPassword, now }: NewAdministrator,
): Promise<MadeAdministrator> {
  if (status !== "active") return { kind: "disabled" };
  if (replacesPassword) {
    await setPassword(transaction, userId, passwordHash, now);
    await revokeSessions(transaction, userId, now);
  }
  await transaction.updateTable("users").set({ role: "admin", updated_at: now }).where("id", "=", userId).execute();
  const actions = [
    ...(role === "admin" ? [] : ["user.role_changed"]),
    ...(replacesPassword ? ["user.password_changed"] : []),
  ];
  for (const action of actions) {
    await writeAudit(transaction, {
      organizationId: null,
      actor: OPERATOR,
      action,
      target: { type: "user", id: String(userId) },
      ...(action === "user.role_changed" && { before: { role }, after: { role: "admin" } }),
      subjects: [userId],
    });
  }
  return { kind: role === "admin" ? "was_one" : "promoted", userId };
}
