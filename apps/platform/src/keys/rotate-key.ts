import { ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import { ApiKeyAnswer, ApiKeyRotation, toApiKey } from "@tollgate/contracts/management/key.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { rotateKey } from "@tollgate/db/keys/change-key.ts";
import { findVisibleKey } from "@tollgate/db/keys/find-visible-key.ts";
import { reachesManagement } from "@tollgate/domain/roles/management-routes.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { makeSecret } from "./make-secret.ts";
import { holdManagedKey, refuseRevoked } from "./managed-key.ts";
import { readKeyName } from "./read-key-name.ts";

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
    // The key's secret grants the creator's role, so only the creator may receive it.
    if (reachesManagement(before.allowedRoutes) && before.creatorId !== caller.userId) {
      throw new ManagementFailure(
        "ROLE_REQUIRED",
        "This key manages on behalf of its creator. Only the creator can rotate it.",
      );
    }
    const secret = makeSecret();
    const previousValidUntil = graceSeconds === 0 ? null : new Date(reader.now.getTime() + graceSeconds * 1_000);
    const change = { ...secret.stored, previousValidUntil };
    await rotateKey(transaction, before.organizationId, before.id, change, reader.now);
    const key = await findVisibleKey(transaction, reader, { id: before.id });
    if (key === null) throw new Error("the rotated key was not found");
    await writeAudit(transaction, {
      organizationId: before.organizationId,
      actor: actorOf({ caller, origin }),
      action: "key.rotated",
      target: { type: "key", id: before.id },
      after: { previousValidUntil },
    });
    return {
      status: 200,
      body: { apiKey: toApiKey(key, secret.token) },
      replayBody: { apiKey: toApiKey(key, null) },
    };
  },
});
