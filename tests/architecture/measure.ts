import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { CalledFile } from "./called-files.ts";
import { measureFilesPerCall } from "./files-per-call.ts";
import { findCycles } from "./find-cycles.ts";
import { findBackArrows, importsInGateway } from "./gateway-floors.ts";
import { measureInstalledSize } from "./installed-size.ts";
import { readRepository, root } from "./read-repository.ts";

// Measures the layout of the code, so that it can be followed from commit to commit:
//   node tests/architecture/measure.ts           a table
//   node tests/architecture/measure.ts --json    the same, and one line of JSON at the end
//   node tests/architecture/measure.ts --files   only the files of a JSON chat call, smallest first

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, files: { type: "boolean", default: false } },
});

if (options.files) printFiles(await measureFilesPerCall());
else await printFigures(options.json);

async function printFigures(isJson: boolean): Promise<void> {
  const imports = readRepository();
  const figures = {
    gatewayCycles: findCycles(importsInGateway(imports)).length,
    gatewayBackArrows: findBackArrows(imports).length,
    filesPerCall: (await measureFilesPerCall()).length,
    serverLines: countLines("apps/server/src"),
    ...(await measureInstalledSize()),
  };
  const meanings: Record<keyof typeof figures, string> = {
    gatewayCycles: "Groups of gateway files that import each other in a circle, type imports included.",
    gatewayBackArrows: "Arrows between gateway folders that point to the same floor or a higher one.",
    filesPerCall: "Files of this repository that one warm JSON chat call runs through.",
    serverLines: "Lines in apps/server/src, without tests and fixtures.",
    productionPackages: "Packages that are installed with the program on one system.",
    installedMiB: "Size of the program with these packages, without the embedded PostgreSQL.",
  };
  for (const [name, meaning] of Object.entries(meanings)) {
    const value = figures[name as keyof typeof figures];
    console.log(`${name.padEnd(20)}${String(value).padStart(8)}  ${meaning}`);
  }
  if (isJson) console.log(JSON.stringify(figures));
}

function countLines(folder: string): number {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((path) => !/\.(?:test|fixture|scratch)\.ts$/.test(path))
    .reduce((sum, path) => sum + linesOf(path), 0);
}

function linesOf(path: string): number {
  return readFileSync(join(root, path), "utf8").split("\n").length - 1;
}

function printFiles(files: readonly CalledFile[]): void {
  const sorted = files
    .map(({ path, functions }) => ({ path, functions, lines: linesOf(path) }))
    .toSorted((a, b) => a.lines - b.lines);
  for (const { path, functions, lines } of sorted) {
    console.log(`${String(lines).padStart(5)}  ${path}  ${functions.join(" ")}`);
  }
  const calls = files.reduce((sum, { functions }) => sum + functions.length, 0);
  console.log(`${files.length} files, ${calls} functions`);
}
