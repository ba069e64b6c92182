import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { surfaces } from "./surfaces.ts";

/** Prints a seeded sample of the text in one surface group, one item per line, for a reader who sees nothing else. */
const root = join(import.meta.dirname, "../..");
const DEFAULT_COUNT = "300";

/** Numbers between 0 and 1 that depend on the seed alone (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

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
const specs = surface.paths.map((path) => `:(glob)${path}`);
const files = execFileSync("git", ["ls-files", ...specs], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n");
const own = files.filter(
  (file) => !file.includes(".generated.") && !(values.surface === "visible" && file.includes(".test.")),
);
const items = own.flatMap((file) =>
  surface.read(readFileSync(join(root, file), "utf8")).map((text) => ({ file, text })),
);
const random = randomFrom(Number(values.seed));
const drawn = items
  .map((item) => ({ item, order: random() }))
  .toSorted((one, other) => one.order - other.order)
  .slice(0, Number(values.count));
for (const { item } of drawn) console.log(`${item.file}: ${item.text.replaceAll(/\s+/g, " ").trim()}`);
