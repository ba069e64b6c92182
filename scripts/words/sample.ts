import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../../tests/random.ts";
import { listFiles, surfaces } from "./surfaces.ts";

/**
 * Prints a seeded sample of the text in one surface group, one item per line, for a reader who sees nothing else.
 *
 * Readers also mark text that native engineers wrote. `--control` measures how much: half of the sample then comes from
 * a file with text of other projects, one item per line, and file names are omitted. `--key` names the output file for
 * the numbers of the control items.
 */
const root = join(import.meta.dirname, "../..");
const DEFAULT_COUNT = "300";

const { values } = parseArgs({
  options: {
    surface: { type: "string" },
    seed: { type: "string" },
    count: { type: "string", default: DEFAULT_COUNT },
    control: { type: "string" },
    key: { type: "string" },
  },
});
const surface = surfaces[values.surface ?? ""];
if (
  surface === undefined ||
  values.seed === undefined ||
  (values.control === undefined) !== (values.key === undefined)
) {
  console.error(
    `Usage: node scripts/words/sample.ts --surface ${Object.keys(surfaces).join("|")} --seed N [--count N] [--control FILE --key FILE]`,
  );
  process.exit(2);
}
const random = new Random(Number(values.seed));
const count = Number(values.count);
const own = listFiles(...surface.paths)
  .filter(surface.includes)
  .flatMap((file) => surface.read(readFileSync(join(root, file), "utf8")).map((text) => ({ file, text })));

if (values.control === undefined || values.key === undefined) {
  for (const { file, text } of shuffle(own).slice(0, count)) console.log(`${file}: ${oneLine(text)}`);
} else {
  const control = readFileSync(values.control, "utf8").trim().split("\n");
  const half = Math.ceil(count / 2);
  const mixed = shuffle([
    ...shuffle(own)
      .slice(0, half)
      .map(({ text }) => ({ text, isControl: false })),
    ...shuffle(control)
      .slice(0, count - half)
      .map((text) => ({ text, isControl: true })),
  ]);
  for (const [index, { text }] of mixed.entries()) console.log(`${index + 1}. ${oneLine(text)}`);
  const numbers = mixed.flatMap(({ isControl }, index) => (isControl ? [index + 1] : []));
  writeFileSync(values.key, `${numbers.join("\n")}\n`);
}

function shuffle<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
