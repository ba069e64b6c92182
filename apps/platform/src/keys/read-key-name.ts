import { ManagementFailure, unknownObject } from "@tollgate/contracts/management/failure.ts";
import type { KeyName } from "@tollgate/db/keys/find-visible-key.ts";
import { hashApiKey, isWellFormedKey } from "@tollgate/domain/api-keys.ts";

/** What a field that names a key means: an id, or a secret, which is turned into its digest here and goes no further. */
export function readKeyName(field: string, text: string): KeyName {
  if (!text.startsWith("sk-")) return { id: text };
  if (/…|\.\.\.|\*/.test(text)) {
    throw new ManagementFailure("MASKED_KEY", `${field} is a masked key. Send the key's ID or full secret.`);
  }
  if (!isWellFormedKey(text)) throw unknownObject("API key");
  return { hash: hashApiKey(text) };
}
