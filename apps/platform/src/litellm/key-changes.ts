import {
  BlockKeyRequest,
  DeletedKeys,
  DeleteKeysRequest,
  GeneratedKey,
  GenerateKeyRequest,
  KeyPath,
  KeyRecord,
  RegenerateKeyRequest,
  UpdateKeyRequest,
} from "@tollgate/contracts/administration/key-management.ts";
import { answerJson, type KeyedOperation } from "../edge/api-operation.ts";
import { describeKey } from "./describe-record.ts";
import { readKeyPatch } from "./key-patch.ts";
import type { MadeKey } from "./management.ts";
import { changeFailures, managementOf, managementRules, managerOf } from "./management-rules.ts";
import { invalid, readDuration, readKeyName, refuseUnknown } from "./read-fields.ts";

const MAX_GRACE_MS = 604_800_000;
const change = { ...managementRules, method: "POST" } as const;
const answers = { 200: { description: "The updated key.", schema: KeyRecord }, ...changeFailures };

/** Creates a key in a team. */
export const generateKey: KeyedOperation<unknown, GenerateKeyRequest> = {
  ...change,
  id: "generateKey",
  summary: "Create a key (its secret is returned only once)",
  paths: ["/key/generate"],
  body: GenerateKeyRequest,
  isBodyOptional: true,
  answers: { 200: { description: "The key with its secret.", schema: GeneratedKey }, ...changeFailures },

  async handle({ caller, callId, body }, context) {
    const patch = readKeyPatch(body, context);
    return answerMade(await managementOf(context).generateKey(managerOf(caller, callId), patch));
  },
};

/** Updates only the fields in the body. */
export const updateKey: KeyedOperation<unknown, UpdateKeyRequest> = {
  ...change,
  id: "updateKey",
  summary: "Update a key",
  paths: ["/key/update"],
  body: UpdateKeyRequest,
  answers,

  async handle({ caller, callId, body }, context) {
    const patch = readKeyPatch(body, context);
    const name = readKeyName("key", body.key);
    return answerJson(describeKey(await managementOf(context).updateKey(managerOf(caller, callId), name, patch)));
  },
};

/** Deletes keys permanently. */
export const deleteKeys: KeyedOperation<unknown, DeleteKeysRequest> = {
  ...change,
  id: "deleteKeys",
  summary: "Permanently revoke keys, either all of them or none",
  paths: ["/key/delete"],
  body: DeleteKeysRequest,
  answers: { 200: { description: "The digests of the revoked keys.", schema: DeletedKeys }, ...changeFailures },

  async handle({ caller, callId, body }, context) {
    refuseUnknown(body, DeleteKeysRequest.properties);
    const names = body.keys.map((key) => readKeyName("keys", key));
    return answerJson({ deleted_keys: await managementOf(context).deleteKeys(managerOf(caller, callId), names) });
  },
};

/** Blocks a key until it is unblocked. */
export const blockKey = blockOperation("blockKey", "Block a key", "/key/block", true);
export const unblockKey = blockOperation("unblockKey", "Unblock a key", "/key/unblock", false);

/** Replaces a key's secret. */
export const regenerateKey: KeyedOperation<unknown, RegenerateKeyRequest> = {
  ...change,
  id: "regenerateKey",
  summary: "Rotate a key's secret (returned once) and update its other fields",
  paths: ["/key/{key}/regenerate"],
  pathParameters: KeyPath,
  body: RegenerateKeyRequest,
  isBodyOptional: true,
  answers: { 200: { description: "The key with its new secret.", schema: GeneratedKey }, ...changeFailures },

  async handle({ caller, callId, params, body }, context) {
    const now = new Date(context.wallClock());
    const patch = readKeyPatch(body, context);
    const name = readKeyName("key", params.key ?? "");
    const grace = readGrace(body, now);
    return answerMade(await managementOf(context).regenerateKey(managerOf(caller, callId), name, patch, grace));
  },
};

function blockOperation(
  id: string,
  summary: string,
  path: string,
  isBlocked: boolean,
): KeyedOperation<unknown, BlockKeyRequest> {
  return {
    ...change,
    id,
    summary,
    paths: [path],
    body: BlockKeyRequest,
    answers,

    async handle({ caller, callId, body }, context) {
      refuseUnknown(body, BlockKeyRequest.properties);
      const name = readKeyName("key", body.key);
      const key = await managementOf(context).updateKey(managerOf(caller, callId), name, { isBlocked });
      return answerJson(describeKey(key));
    },
  };
}

function readGrace({ grace_period }: RegenerateKeyRequest, now: Date): number {
  if (typeof grace_period !== "string") return 0;
  const graceMs = readDuration("grace_period", grace_period, now).getTime() - now.getTime();
  if (graceMs > MAX_GRACE_MS) throw invalid("grace_period", "must be at most one week.");
  return graceMs;
}

function answerMade({ key, secret }: MadeKey) {
  return answerJson({ key: secret, ...describeKey(key) });
}
