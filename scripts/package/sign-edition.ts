import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signEdition } from "../../packages/catalog/src/signed-catalog.ts";
import { keyIdOf } from "../../packages/domain/src/signing-keys.ts";

/** Environment variable that names the file with the private key. The key itself is never in the repository. */
export const KEY_FILE_VARIABLE = "TOLLGATE_CATALOG_KEY_FILE";
/** Half the default of `prices.maxAgeDays`, so that `tollgate doctor` doesn't fail for as long after a release. */
const MAX_AGE_DAYS = 90;
const DAY_MS = 86_400_000;

interface SigningOptions {
  readonly root: string;
  readonly out: string;
  readonly keyFile: string | undefined;
  /** The key that servers verify editions with. */
  readonly trusted: KeyObject;
  readonly now: Date;
}

/** Writes the checkout's catalog as a signed edition. Throws if servers would reject it, or if its prices are too old. */
export function signReleaseEdition({ root, out, keyFile, trusted, now }: SigningOptions): string {
  if (keyFile === undefined || keyFile === "") {
    throw new Error(`${KEY_FILE_VARIABLE} does not name the file with the private key that signs catalog editions.`);
  }
  const privateKey = createPrivateKey(readFileSync(keyFile));
  const [own, expected] = [keyIdOf(createPublicKey(privateKey)), keyIdOf(trusted)];
  if (own !== expected) throw new Error(`The signing key ${own} is not the key that servers trust, ${expected}.`);
  const text = readFileSync(join(root, "packages/catalog/src/catalog.generated.json"), "utf8");
  const { version, pricesAsOf } = JSON.parse(text) as { readonly version: string; readonly pricesAsOf: string };
  if (!(now.getTime() - Date.parse(pricesAsOf) < (MAX_AGE_DAYS + 1) * DAY_MS)) {
    throw new Error(
      `The catalog ${version} has prices of ${pricesAsOf}. A release needs prices that are at most ${MAX_AGE_DAYS} days old.`,
    );
  }
  const path = join(out, `catalog-${version}.signed`);
  writeFileSync(path, signEdition(text, privateKey));
  return path;
}
