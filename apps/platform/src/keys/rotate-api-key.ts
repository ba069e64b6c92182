import { ApiKeyAnswer, ApiKeyRotation, toApiKey } from "@tollgate/contracts/management/key.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { holdManagedKey, readChangedKey, refuseRevoked } from "./managed-key.ts";
import { readKeyName } from "./read-key-name.ts";
import { requireOwnRole, rotateKey } from "./rotate-key.ts";

export const rotateApiKey = operation({
  ...write,
  id: "rotateApiKey",
  summary: "Rotate a key's secret, which is returned only once; the old secret keeps working for graceSeconds",
  tag: "keys",
  path: "/api/api-keys/rotate",
  auth: "user",
  scope: "user",
  body: ApiKeyRotation,
  answers: { 200: { description: "The key with its new secret", schema: ApiKeyAnswer } },
  async handle({ caller, body, origin }, transaction, services) {
    const { graceSeconds = 0 } = body;
    const name = readKeyName("apiKey", body.apiKey);
    const { key: before, reader } = await holdManagedKey(transaction, caller, services, name);
    refuseRevoked(before);
    await requireOwnRole(transaction, before, caller.userId);
    const { token, previousValidUntil } = await rotateKey(transaction, before, graceSeconds * 1_000, reader.now);
    const key = await readChangedKey(transaction, reader, before.id);
    await writeAudit(transaction, {
      organizationId: before.organizationId,
      actor: actorOf({ caller, origin }),
      action: "key.rotated",
      target: { type: "key", id: before.id },
      after: { previousValidUntil },
    });
    return {
      status: 200,
      body: { apiKey: toApiKey(key, token) },
      replayBody: { apiKey: toApiKey(key, null) },
    };
  },
});
