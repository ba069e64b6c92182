import { type AuditEntry, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { changeKey, type KeyChange } from "@tollgate/db/keys/change-key.ts";
import { findKeyBounds } from "@tollgate/db/keys/key-team.ts";
import type { KeyStatus } from "@tollgate/db/keys/key-view.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { ChangeAuthor } from "../audit-actor.ts";
import { type BudgetTerms, writeBudget } from "../credits/write-budget.ts";
import { readModels } from "./key-limits.ts";

/** A key that the transaction has locked. */
export interface LockedKey {
  readonly id: string;
  readonly organizationId: string;
  readonly teamId: string;
  readonly status: KeyStatus;
}

/** Changes to a key. Absent fields stay unchanged. */
export interface KeyUpdate extends Omit<KeyChange, "models"> {
  /** Null for all of the team's models. */
  readonly models?: readonly string[] | null | undefined;
  readonly budget?: BudgetTerms | null | undefined;
}

/** What an interface shows of the change: the key's new state, and the changed fields in the audit log. */
interface ShownChange<Before, After> {
  readonly read: () => Promise<After>;
  readonly audited: (before: Before, after: After) => Pick<AuditEntry, "before" | "after">;
}

/** Updates a locked key, writes an audit entry, and returns the key's new state. */
export async function updateKey<Before extends LockedKey, After extends LockedKey>(
  transaction: TenantTransaction,
  before: Before,
  update: KeyUpdate,
  { read, audited }: ShownChange<Before, After>,
  { actor, subjects = [] }: ChangeAuthor,
  now: Date,
): Promise<After> {
  await applyKeyUpdate(transaction, before, update, now);
  const after = await read();
  await writeAudit(transaction, {
    organizationId: before.organizationId,
    actor,
    subjects,
    action: after.status === "disabled" && before.status !== "disabled" ? "key.disabled" : "key.updated",
    target: { type: "key", id: before.id },
    ...audited(before, after),
  });
  return after;
}

/** Changes a locked key without an audit entry, for a change that is part of another one. */
export async function applyKeyUpdate(
  transaction: TenantTransaction,
  { id, organizationId, teamId }: LockedKey,
  { models, budget, ...change }: KeyUpdate,
  now: Date,
): Promise<void> {
  const allowed =
    models === undefined
      ? {}
      : { models: readModels(models, await findKeyBounds(transaction, organizationId, teamId)) };
  await changeKey(transaction, organizationId, id, { ...change, ...allowed }, now);
  await writeBudget(transaction, { organizationId, scope: "key", scopeId: id }, budget);
}
