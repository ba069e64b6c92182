import { hash } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { NewModelRequest } from "@tollgate/contracts/administration/model-management.ts";
import type { LitellmRow, LitellmRows } from "@tollgate/db/import/read-litellm.ts";
import { type ImportNotes, listOf, objectOf, warnUnknownColumns } from "./convert-fields.ts";
import type { ConvertedRecord } from "./convert-organizations.ts";

const NONCE_BYTES = 24;
const knownParams = new Set(Object.keys(NewModelRequest.properties.litellm_params.properties));
/** Fields that describe the model itself. `ofTheRow` also has the fields that describe its database row. */
const knownInfo = new Set(["mode", "max_tokens", "max_input_tokens", "max_output_tokens"]);
const ofTheRow = new Set([...knownInfo, "id", "db_model", "created_at", "created_by", "updated_at", "updated_by"]);

export interface ConvertedModel extends ConvertedRecord<() => NewModelRequest> {
  readonly name: string;
}

/** Converts the models in LiteLLM's database. Decrypts their parameters with the salt key. */
export function convertModels(rows: LitellmRows, saltKey: string | null) {
  const carried: ConvertedModel[] = [];
  const left: { name: string; reason: string }[] = [];
  for (const row of rows.models) {
    const name = String(row.model_name);
    if (saltKey === null)
      left.push({ name, reason: "the model's parameters are encrypted; to import the model, set LITELLM_SALT_KEY" });
    else if (carried.some((model) => model.name === name)) {
      left.push({
        name,
        reason:
          "another deployment already uses this name; to use several deployments under one name, define them in model_list in the settings file",
      });
    } else carried.push(convertModel(row, name, saltKey));
  }
  return { carried, left };
}

function convertModel(row: LitellmRow, name: string, saltKey: string): ConvertedModel {
  const remarks: ImportNotes = { notes: [], warnings: [] };
  const info = objectOf(row, "model_info");
  warnUnknownColumns(info, ofTheRow, remarks, "model_info.");
  warnUnknownColumns(objectOf(row, "litellm_params"), knownParams, remarks, "litellm_params.");
  return {
    name,
    source: String(row.model_id),
    ...remarks,
    wanted: () => {
      const sealed = Object.entries(objectOf(row, "litellm_params")).filter(([key]) => knownParams.has(key));
      const params = Object.fromEntries(sealed.map(([key, value]) => [key, open(value, saltKey)]));
      const kept = Object.entries(info).filter(([key]) => knownInfo.has(key));
      return {
        model_name: name,
        litellm_params: {
          ...params,
          ...("additional_drop_params" in params && {
            additional_drop_params: [...listOf(params, "additional_drop_params")],
          }),
        },
        model_info: Object.fromEntries(kept),
      };
    },
  };
}

/** Thrown when the salt key can't decrypt a value. */
export class DecryptionError extends Error {}

/**
 * Decrypts a LiteLLM string, which is the base64 of a NaCl secretbox whose key is the SHA-256 hash of the salt key.
 * Returns other values unchanged.
 */
function open(value: unknown, saltKey: string): unknown {
  if (typeof value !== "string") return value;
  const bytes = Buffer.from(value, "base64url");
  const key = Buffer.from(hash("sha256", saltKey, "hex"), "hex");
  try {
    const box = xsalsa20poly1305(key, bytes.subarray(0, NONCE_BYTES));
    return Buffer.from(box.decrypt(bytes.subarray(NONCE_BYTES))).toString("utf8");
  } catch {
    throw new DecryptionError(
      "LITELLM_SALT_KEY does not decrypt the model's parameters (without a salt key, LiteLLM uses its master key)",
    );
  }
}
