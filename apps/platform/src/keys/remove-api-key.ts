import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { ApiKeyRemoval, ApiKeyRemoved } from "@tollgate/contracts/management/key.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { holdManagedKey } from "./managed-key.ts";
import { readKeyName } from "./read-key-name.ts";
import { removeKey } from "./remove-key.ts";

export const removeApiKey = operation({
  ...write,
  id: "removeApiKey",
  summary: "Revoke a key permanently, by ID or full secret",
  tag: "keys",
  path: "/api/api-keys/remove",
  auth: "user",
  scope: "user",
  body: ApiKeyRemoval,
  answers: { 200: { description: "The key is revoked", schema: ApiKeyRemoved } },
  async handle({ caller, body, origin }, transaction, services) {
    const name = readKeyName("apiKey", body.apiKey);
    const { key, reader } = await holdManagedKey(transaction, caller, services, name);
    if (key.status === "revoked") throw unknownObject("API key");
    await removeKey(transaction, key, { actor: actorOf({ caller, origin }) }, reader.now);
    return { status: 200, body: { removed: true, id: key.id } };
  },
});
