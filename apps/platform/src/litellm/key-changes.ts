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
import { changeFailures, managementRules } from "@tollgate/contracts/administration/management-rules.ts";
import { describeKey } from "./describe-record.ts";
import { readKeyPatch } from "./key-patch.ts";
import { answerJson, type LitellmOperation, runFor } from "./litellm-operation.ts";
import * as keys from "./manage-keys.ts";
import { invalid, readDuration, readKeyName, refuseUnknown } from "./read-fields.ts";

const MAX_GRACE_MS = 604_800_000;
const change = { ...managementRules, method: "POST" } as const;
/** LiteLLM's clients may repeat the key of the path in the body. */
const regenerated = { ...RegenerateKeyRequest.properties, key: UpdateKeyRequest.properties.key };
const answers = { 200: { description: "The updated key.", schema: KeyRecord }, ...changeFailures };

/** Creates a key in a team. */
export const generateKey: LitellmOperation<unknown, GenerateKeyRequest> = {
  ...change,
  id: "generateKey",
  summary: "Create a key (its secret is returned only once)",
  paths: ["/key/generate"],
  body: GenerateKeyRequest,
  isBodyOptional: true,
  answers: { 200: { description: "The key with its secret.", schema: GeneratedKey }, ...changeFailures },

  async handle(input, context) {
    const patch = readKeyPatch(input.body, GenerateKeyRequest.properties, context);
    return answerMade(await runFor(input, context, (acting) => keys.generateKey(acting, patch)));
  },
};

/** Updates only the fields in the body. */
export const updateKey: LitellmOperation<unknown, UpdateKeyRequest> = {
  ...change,
  id: "updateKey",
  summary: "Update a key",
  paths: ["/key/update"],
  body: UpdateKeyRequest,
  answers,

  async handle(input, context) {
    const patch = readKeyPatch(input.body, UpdateKeyRequest.properties, context);
    const name = readKeyName("key", input.body.key);
    return answerJson(describeKey(await runFor(input, context, (acting) => keys.updateKey(acting, name, patch))));
  },
};

/** Deletes keys permanently. */
export const deleteKeys: LitellmOperation<unknown, DeleteKeysRequest> = {
  ...change,
  id: "deleteKeys",
  summary: "Permanently revoke keys, either all of them or none",
  paths: ["/key/delete"],
  body: DeleteKeysRequest,
  answers: { 200: { description: "The digests of the revoked keys.", schema: DeletedKeys }, ...changeFailures },

  async handle(input, context) {
    refuseUnknown(input.body, DeleteKeysRequest.properties);
    const names = input.body.keys.map((key) => readKeyName("keys", key));
    return answerJson({ deleted_keys: await runFor(input, context, (acting) => keys.deleteKeys(acting, names)) });
  },
};

/** Blocks a key until it is unblocked. */
export const blockKey = blockOperation("blockKey", "Block a key", "/key/block", true);
export const unblockKey = blockOperation("unblockKey", "Unblock a key", "/key/unblock", false);

/** Replaces a key's secret. */
export const regenerateKey: LitellmOperation<unknown, RegenerateKeyRequest> = {
  ...change,
  id: "regenerateKey",
  summary: "Rotate a key's secret (returned once) and update its other fields",
  paths: ["/key/{key}/regenerate"],
  params: KeyPath,
  body: RegenerateKeyRequest,
  isBodyOptional: true,
  answers: { 200: { description: "The key with its new secret.", schema: GeneratedKey }, ...changeFailures },

  async handle(input, context) {
    const now = new Date(context.wallClock());
    const patch = readKeyPatch(input.body, regenerated, context);
    const name = readKeyName("key", input.params.key ?? "");
    const graceMs = readGrace(input.body, now);
    return answerMade(await runFor(input, context, (acting) => keys.regenerateKey(acting, name, patch, graceMs)));
  },
};

function blockOperation(
  id: string,
  summary: string,
  path: string,
  isBlocked: boolean,
): LitellmOperation<unknown, BlockKeyRequest> {
  return {
    ...change,
    id,
    summary,
    paths: [path],
    body: BlockKeyRequest,
    answers,

    async handle(input, context) {
      refuseUnknown(input.body, BlockKeyRequest.properties);
      const name = readKeyName("key", input.body.key);
      const key = await runFor(input, context, (acting) => keys.updateKey(acting, name, { isBlocked }));
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

function answerMade({ key, secret }: keys.MadeKey) {
  return answerJson({ key: secret, ...describeKey(key) });
}
