import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import type { KeyName } from "@tollgate/db/keys/find-visible-key.ts";
import { hashApiKey, isWellFormedKey } from "@tollgate/domain/api-keys.ts";

/** Parses a field that identifies a key by its ID or its secret. A secret is hashed here and not passed on. */
export function readKeyName(field: string, text: string): KeyName {
  if (!text.startsWith("sk-")) return { id: text };
  if (/…|\.\.\.|\*/.test(text)) {
    throw new Failure("MASKED_KEY", `${field} is a masked key. Send the key's ID or full secret.`);
  }
  if (!isWellFormedKey(text)) throw unknownObject("API key");
  return { hash: hashApiKey(text) };
}
