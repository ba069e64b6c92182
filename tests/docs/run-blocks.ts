import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { readPages } from "../../apps/docs/src/read-pages.ts";
import { type RunnableBlock, readRunnable, readSettings } from "./read-runnable.ts";
import { runPage } from "./run-page.ts";
import { startInstance } from "./start-instance.ts";

// Runs every runnable block in the documentation against one fresh instance with simulated models. `--only
// guides/credit` selects pages by path. With `--json`, the last line is one object.

const AT_ONCE = 2;
const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
    // Ignored, because all blocks are quick. The flag exists because every suite accepts it.
    quick: { type: "boolean", default: false },
  },
});

interface RunnablePage {
  readonly path: string;
  readonly blocks: readonly RunnableBlock[];
  readonly settings: readonly string[];
}

async function main(): Promise<number> {
  const startedAtMs = performance.now();
  const pages = listRunnable();
  const work = mkdtempSync(join(tmpdir(), "tollgate-docs-"));
  let problems: readonly string[];
  try {
    problems = await runPages(pages, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10;
  const blocks = pages.reduce((sum, page) => sum + page.blocks.length, 0);
  const failed = problems.length;
  for (const problem of problems) console.log(`\n✗ ${problem}`);
  console.log(`\n${blocks} blocks on ${pages.length} pages, ${failed} failed, ${seconds} s`);
  if (values.json)
    console.log(JSON.stringify({ pages: pages.length, blocks, passed: blocks - failed, failed, seconds }));
  // A run without blocks tests nothing, so it fails.
  return failed === 0 && blocks > 0 ? 0 : 1;
}

async function runPages(pages: readonly RunnablePage[], work: string): Promise<readonly string[]> {
  const settings = pages.flatMap((page) => page.settings);
  const instance = await startInstance(work, hasPython(pages) ? preparePython() : null, settings);
  const problems: string[] = [];
  const waiting = [...pages];
  const takeNext = async (): Promise<void> => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) {
      const folder = join(work, page.path.replaceAll("/", "-").replace(/\.md$/, ""));
      mkdirSync(folder);
      // Link the instance's data, which a reader who starts `tollgate dev` in this folder would also have here.
      symlinkSync(instance.dataFolder, join(folder, ".tollgate"));
      problems.push(...(await tellPage(page, folder, instance.environment)));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, takeNext));
  } finally {
    await instance.stop();
  }
  return problems;
}

async function tellPage(
  { path, blocks }: RunnablePage,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const startedAtMs = performance.now();
  const { problems } = await runPage(blocks, folder, environment);
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  const failed = problems.filter((problem) => problem !== null).length;
  console.log(`${failed === 0 ? "✓" : "✗"} ${path}: ${blocks.length} blocks (${seconds} s)`);
  return problems.flatMap((problem, index) => (problem === null ? [] : [`${path}, block ${index + 1}: ${problem}`]));
}

function listRunnable(): readonly RunnablePage[] {
  return readPages(root)
    .filter(({ path }) => path.includes(values.only))
    .map(({ path, markdown }) => ({ path, blocks: readRunnable(markdown), settings: readSettings(markdown) }))
    .filter(({ blocks }) => blocks.some(({ steps }) => steps.some(({ kind }) => kind !== "file")));
}

function hasPython(pages: readonly RunnablePage[]): boolean {
  return pages.some(({ blocks }) => blocks.some(({ steps }) => steps.some(({ kind }) => kind === "python")));
}

/** Returns the folder of a Python interpreter with the packages that the pages import. */
function preparePython(): string {
  return dirname(execFileSync(join(root, "scripts/python"), { encoding: "utf8" }).trim());
}

process.exitCode = await main();
