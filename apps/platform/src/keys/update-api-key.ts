import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { ApiKeyAnswer, ApiKeyUpdate, toApiKey } from "@tollgate/contracts/management/key.ts";
import type { KeyRow } from "@tollgate/db/keys/key-view.ts";
import type { Static } from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { readExpiry } from "./key-limits.ts";
import { holdManagedKey, readChangedKey, refuseRevoked } from "./managed-key.ts";
import { readKeyName } from "./read-key-name.ts";
import { updateKey } from "./update-key.ts";

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
    const after = await updateKey(
      transaction,
      before,
      {
        ...(wanted.name !== undefined && { name: wanted.name }),
        ...(wanted.disabled !== undefined && { isDisabled: wanted.disabled }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(wanted.rateLimit === null ? noLimits : wanted.rateLimit),
        models: wanted.models,
        budget: wanted.budget,
      },
      {
        read: () => readChangedKey(transaction, reader, before.id),
        audited: (former, current) => differences(former, current, wanted.budget),
      },
      { actor: actorOf({ caller, origin }) },
      reader.now,
    );
    return { status: 200, body: { apiKey: toApiKey(after) } };
  },
});

const noLimits = { rpm: null, tpm: null, maxParallel: null };

/** Returns the changed fields with their values before and after. For a budget, returns only the new value. */
function differences(before: KeyRow, after: KeyRow, budget: Update["budget"]) {
  const names = ["name", "status", "expiresAt", "models", "rpm", "tpm", "maxParallel"] as const;
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (key: KeyRow) => Object.fromEntries(changed.map((name) => [name, key[name]]));
  return { before: pick(before), after: { ...pick(after), ...(budget !== undefined && { budget }) } };
}
