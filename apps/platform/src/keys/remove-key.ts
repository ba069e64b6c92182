import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { ApiKeyRemoval, ApiKeyRemoved } from "@tollgate/contracts/management/key.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { revokeKey } from "@tollgate/db/keys.ts";
import { addEvent } from "@tollgate/db/outbox.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { holdManagedKey, readerOf } from "./managed-key.ts";
import { readKeyName } from "./read-key-name.ts";

export const removeApiKey = operation({
  ...write,
  id: "removeApiKey",
  summary: "Revoke a key for ever, named by its id or its whole secret",
  tag: "keys",
  path: "/api/api-keys/remove",
  auth: "user",
  scope: "organization",
  body: ApiKeyRemoval,
  answers: { 200: { description: "It works no more", schema: ApiKeyRemoved } },
  async handle({ caller, body, origin }, transaction, services) {
    const reader = readerOf(caller, services);
    const key = await holdManagedKey(transaction, caller, reader, readKeyName("apiKey", body.apiKey));
    if (key.status === "revoked") throw unknownObject("API key");
    await revokeKey(transaction, key.id, reader.now);
    await addEvent(transaction, key.organizationId, "key.revoked", { keyId: key.id, teamId: key.teamId });
    await writeAudit(transaction, {
      organizationId: key.organizationId,
      actor: actorOf({ caller, origin }),
      action: "key.revoked",
      target: { type: "key", id: key.id },
      before: { status: key.status },
      after: { status: "revoked" },
    });
    return { status: 200, body: { removed: true, id: key.id } };
  },
});
