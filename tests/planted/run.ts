import { parseArgs } from "node:util";
import { applyEdits, editTexts } from "../adversary/apply-edits.ts";
import { makeWorkingCopy, type WorkingCopy } from "../adversary/working-copy.ts";
import { type Defect, toEdits } from "./defect.ts";
import { areas } from "./defects.ts";
import { runTests, type TestOutcome } from "./run-tests.ts";

const USAGE = `Plant one small defect at a time and run the tests of its area. At least one of them must fail.

  pnpm planted                 every defect
  pnpm planted --area NAMES    only the defects of these areas, separated by commas: ${Object.keys(areas).join(", ")}
  pnpm planted --only NAMES    only these defects, separated by commas

  --list          print the defects and the changed files

The defects are planted in a temporary copy of the last commit. Uncommitted changes are not part of it. The last line is
a JSON object with the number of defects, the number that the tests caught, and the names of those that they missed.
`;

async function main(): Promise<number> {
  const defects = readOptions();
  if (typeof defects === "string") {
    console.log(defects);
    return 0;
  }
  const copy = await makeWorkingCopy();
  console.log(`planted: commit ${copy.commit}, ${defects.length} defects`);
  // Detect a stale defect early, before the defects start to run.
  for (const defect of defects) editTexts(copy.folder, toEdits(defect));
  await requireGreen(copy, defects);
  const missed: string[] = [];
  for (const defect of defects) {
    const startedAtMs = performance.now();
    const outcome = await plant(copy, defect);
    if (outcome.kind !== "failed") missed.push(defect.name);
    console.log(`${describeOutcome(defect, outcome)} (${Math.round((performance.now() - startedAtMs) / 1_000)} s)`);
  }
  console.log(JSON.stringify({ defects: defects.length, caught: defects.length - missed.length, missed }));
  return missed.length === 0 ? 0 : 1;
}

/** Parses the command line. Returns a string to print for the user, such as the help text. */
function readOptions(): readonly Defect[] | string {
  const { values } = parseArgs({
    options: {
      area: { type: "string" },
      only: { type: "string" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return USAGE;
  const area = values.area?.split(",") ?? Object.keys(areas);
  const unknownArea = area.filter((name) => !Object.hasOwn(areas, name));
  if (unknownArea.length > 0) throw new Error(`no such area: ${unknownArea.join(", ")}`);
  const inArea = area.flatMap((name) => areas[name] ?? []);
  const only = values.only?.split(",") ?? inArea.map(({ name }) => name);
  const unknown = only.filter((name) => !inArea.some((defect) => defect.name === name));
  if (unknown.length > 0) throw new Error(`no such defect: ${unknown.join(", ")}`);
  const chosen = inArea.filter(({ name }) => only.includes(name));
  return values.list ? chosen.map(({ name, file }) => `${name.padEnd(40)} ${file}`).join("\n") : chosen;
}

/** Runs the tests without a defect. If they fail, a failure with a defect would mean nothing. */
async function requireGreen(copy: WorkingCopy, defects: readonly Defect[]): Promise<void> {
  const outcome = await runTests(copy, [...new Set(defects.flatMap(({ tests }) => tests))]);
  if (outcome.kind === "failed") throw new Error(`fails without a defect: ${outcome.names.join("; ")}`);
  if (outcome.kind === "broken") throw new Error(outcome.reason);
}

async function plant(copy: WorkingCopy, defect: Defect): Promise<TestOutcome> {
  const restore = applyEdits(copy.folder, toEdits(defect));
  try {
    return await runTests(copy, defect.tests);
  } finally {
    restore();
  }
}

function describeOutcome({ name }: Defect, outcome: TestOutcome): string {
  if (outcome.kind === "failed") return `  ${name.padEnd(40)} caught by "${outcome.names[0]}"`;
  return `  ${name.padEnd(40)} MISSED ${outcome.kind === "broken" ? outcome.reason : ""}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
// Exit explicitly, because exit handlers remove the working copy.
process.exit();
