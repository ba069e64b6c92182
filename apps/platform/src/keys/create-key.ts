import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { changeKey } from "@tollgate/db/keys/change-key.ts";
import { insertKey, type NewKey } from "@tollgate/db/keys/insert-key.ts";
import { countTeamKeys, lockTeamForKey } from "@tollgate/db/keys/key-team.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { may, type Roles } from "@tollgate/domain/roles/permissions.ts";
import type { ChangeAuthor } from "../audit-actor.ts";
import { type BudgetTerms, writeBudget } from "../credits/write-budget.ts";
import { readModels } from "./key-limits.ts";

/** A key to create. It has the digest of its secret, never the secret. */
interface KeyToCreate extends Omit<NewKey, "models"> {
  /** Null for all of the team's models. */
  readonly models: readonly string[] | null;
  readonly isDisabled?: boolean;
  readonly budget?: BudgetTerms | null | undefined;
}

/** A user who creates a key, or a key that does so on behalf of its creator. */
interface KeyManager extends ChangeAuthor {
  readonly kind: "manager";
  /** Roles in the key's team and organization; null for platform administrators, who have all permissions. */
  readonly roles: Roles | null;
  readonly maxKeysPerTeam: number;
  /** Fields of the new key in the audit log. */
  readonly audited: Readonly<Record<string, unknown>>;
}

/** An operator's command. It adds the key without limits, publishes no event, and writes its own audit entry. */
interface KeyOperator {
  readonly kind: "operator";
}

/** Creates a key. Every interface creates keys with this function. */
export async function createKey(
  transaction: TenantTransaction,
  key: KeyToCreate,
  creator: KeyManager | KeyOperator,
  now: Date,
): Promise<void> {
  const { isDisabled = false, budget, ...row } = key;
  const { id, organizationId, teamId, name } = row;
  const models = creator.kind === "manager" ? await admitKey(transaction, key, creator) : (key.models ?? []);
  await insertKey(transaction, { ...row, models });
  if (isDisabled) await changeKey(transaction, organizationId, id, { isDisabled }, now);
  if (budget) await writeBudget(transaction, { organizationId, scope: "key", scopeId: id }, budget);
  if (creator.kind === "operator") return;
  await addEvent(transaction, organizationId, "key.created", { keyId: id, teamId, name });
  const { actor, subjects = [], audited } = creator;
  await writeAudit(transaction, {
    organizationId,
    actor,
    subjects,
    action: "key.created",
    target: { type: "key", id },
    after: audited,
  });
}

/** Locks the team and returns the key's models, or throws if the creator may not create this key. */
async function admitKey(
  transaction: TenantTransaction,
  { organizationId, teamId, models }: KeyToCreate,
  { roles, maxKeysPerTeam }: KeyManager,
): Promise<readonly string[]> {
  const bounds = await lockTeamForKey(transaction, organizationId, teamId);
  if (bounds === null) throw unknownObject("team");
  if (roles !== null && !may(roles, "create_key")) {
    throw new Failure(
      "ROLE_REQUIRED",
      "Only team members and organization administrators can create keys in this team.",
    );
  }
  const admitted = readModels(models, bounds);
  if ((await countTeamKeys(transaction, organizationId, teamId)) < BigInt(maxKeysPerTeam)) return admitted;
  throw new Failure(
    "LIMIT_REACHED",
    `The team has reached its limit of ${maxKeysPerTeam} keys. Delete an unused key first.`,
  );
}
