import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { ApiKeyAnswer, ApiKeyUpdate, toApiKey } from "@tollgate/contracts/management/key.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { changeKey, type KeyChange } from "@tollgate/db/keys/change-key.ts";
import { findKeyBounds } from "@tollgate/db/keys/create-key.ts";
import { findVisibleKey } from "@tollgate/db/keys/find-visible-key.ts";
import type { KeyRow } from "@tollgate/db/keys/key-view.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Static } from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { readExpiry, readModels, writeKeyBudget } from "./key-limits.ts";
import { holdManagedKey, refuseRevoked } from "./managed-key.ts";
import { readKeyName } from "./read-key-name.ts";

type Update = Static<typeof ApiKeyUpdate>;

export const updateApiKey = operation({
  ...write,
  id: "updateApiKey",
  summary: "Rename, disable, enable, or limit a key, by ID or full secret",
  tag: "keys",
  path: "/api/api-keys/update",
  auth: "user",
  scope: "user",
  body: ApiKeyUpdate,
  answers: { 200: { description: "The updated key", schema: ApiKeyAnswer } },
  async handle({ caller, body, origin }, transaction, services) {
    const { token, ...wanted } = body;
    if (Object.keys(wanted).length === 0) throw invalidField("name", "or another change is required");
    const name = readKeyName("token", token);
    const expiresAt = wanted.expiresAt === undefined ? undefined : readExpiry(wanted.expiresAt, services.now());
    const { key: before, reader } = await holdManagedKey(transaction, caller, services, name);
    refuseRevoked(before);
    const change = await readChange(transaction, before, wanted, expiresAt);
    await changeKey(transaction, before.organizationId, before.id, change, reader.now);
    if (wanted.budget !== undefined) {
      await writeKeyBudget(transaction, before.organizationId, before.id, wanted.budget);
    }
    const after = await findVisibleKey(transaction, reader, { id: before.id });
    if (after === null) throw new Error("the updated key was not found");
    await writeAudit(transaction, {
      organizationId: before.organizationId,
      actor: actorOf({ caller, origin }),
      action: after.status === "disabled" && before.status !== "disabled" ? "key.disabled" : "key.updated",
      target: { type: "key", id: before.id },
      ...differences(before, after, wanted.budget),
    });
    return { status: 200, body: { apiKey: toApiKey(after) } };
  },
});

async function readChange(
  transaction: TenantTransaction,
  key: KeyRow,
  wanted: Omit<Update, "token">,
  expiresAt: Date | null | undefined,
): Promise<KeyChange> {
  const noLimits = { rpm: null, tpm: null, maxParallel: null };
  return {
    ...(wanted.name !== undefined && { name: wanted.name }),
    ...(wanted.disabled !== undefined && { isDisabled: wanted.disabled }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(wanted.models !== undefined && {
      models: readModels(wanted.models, await findKeyBounds(transaction, key.organizationId, key.teamId)),
    }),
    ...(wanted.rateLimit === null ? noLimits : wanted.rateLimit),
  };
}

/** Returns the changed fields with their values before and after. For a budget, returns only the new value. */
function differences(before: KeyRow, after: KeyRow, budget: Update["budget"]) {
  const names = ["name", "status", "expiresAt", "models", "rpm", "tpm", "maxParallel"] as const;
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (key: KeyRow) => Object.fromEntries(changed.map((name) => [name, key[name]]));
  return { before: pick(before), after: { ...pick(after), ...(budget !== undefined && { budget }) } };
}
