import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// Writes the vocabularies of the gateway: node scripts/generate-vocabularies.ts
// Each file contains the number of tokens, the length of each token, and the bytes of all tokens in the order of their
// ranks. `vocabulary.test.ts` checks that the files match the data of gpt-tokenizer.

const gateway = join(import.meta.dirname, "../apps/gateway");
const require = createRequire(join(gateway, "package.json"));

for (const encoding of ["o200k_base", "cl100k_base"]) {
  const lines = readFileSync(require.resolve(`gpt-tokenizer/data/${encoding}.tiktoken`), "utf8")
    .trim()
    .split("\n");
  const tokens = lines.map((line, index) => {
    const [base64 = "", rank] = line.split(" ");
    if (Number(rank) !== index) throw new Error(`${encoding} has no token of rank ${index}`);
    return Buffer.from(base64, "base64");
  });
  const count = Buffer.alloc(4);
  count.writeUInt32LE(tokens.length);
  const lengths = Buffer.from(tokens.map(({ length }) => length));
  writeFileSync(join(gateway, `src/tokens/vocabularies/${encoding}.bin`), Buffer.concat([count, lengths, ...tokens]));
}
