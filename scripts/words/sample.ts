import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../../tests/random.ts";
import { listFiles, surfaces } from "./surfaces.ts";

/** Prints a seeded sample of the text in one surface group, one item per line, for a reader who sees nothing else. */
const root = join(import.meta.dirname, "../..");
const DEFAULT_COUNT = "300";

const { values } = parseArgs({
  options: { surface: { type: "string" }, seed: { type: "string" }, count: { type: "string", default: DEFAULT_COUNT } },
});
const surface = surfaces[values.surface ?? ""];
if (surface === undefined || values.seed === undefined) {
  console.error(
    `Usage: node scripts/words/sample.ts --surface ${Object.keys(surfaces).join("|")} --seed N [--count N]`,
  );
  process.exit(2);
}
const items = listFiles(...surface.paths)
  .filter(surface.includes)
  .flatMap((file) => surface.read(readFileSync(join(root, file), "utf8")).map((text) => ({ file, text })));
const random = new Random(Number(values.seed));
const drawn = items
  .map((item) => ({ item, order: random.next() }))
  .toSorted((one, other) => one.order - other.order)
  .slice(0, Number(values.count));
for (const { item } of drawn) console.log(`${item.file}: ${item.text.replaceAll(/\s+/g, " ").trim()}`);
