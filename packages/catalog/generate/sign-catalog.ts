import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { signEdition } from "../src/signed-catalog.ts";

const USAGE = `usage: node packages/catalog/generate/sign-catalog.ts --key <pem> --in <json> --out <file>
       node packages/catalog/generate/sign-catalog.ts --new-key <pem>`;

const { values } = parseArgs({
  options: {
    key: { type: "string" },
    in: { type: "string" },
    out: { type: "string" },
    "new-key": { type: "string" },
  },
});
const newKey = values["new-key"];
if (newKey !== undefined) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  // Fails if the file exists, because a lost signing key cannot be recovered.
  writeFileSync(newKey, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600, flag: "wx" });
  console.log(publicKey.export({ format: "der", type: "spki" }).toString("base64"));
} else if (values.key && values.in && values.out) {
  const privateKey = createPrivateKey(readFileSync(values.key));
  writeFileSync(values.out, signEdition(readFileSync(values.in, "utf8"), privateKey));
} else {
  console.error(USAGE);
  process.exit(2);
}
