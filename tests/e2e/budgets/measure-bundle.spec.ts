import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "@playwright/test";
import { test } from "../stage/console-test.ts";
import { addFigures, type BundleSizes, noteFound } from "../stage/figures.ts";

// 220 KiB until the shell got the formatters that the command line shares, and the fixes of errors.
const SHELL_LIMIT = 225 * 1024;
const ROUTE_LIMIT = 90 * 1024;
const WHOLE_LIMIT = 3 * 1024 * 1024;

let sizes: BundleSizes;

test.beforeAll(({ consoleFolder }) => {
  sizes = weigh(consoleFolder);
});

test("shell, gzip", () => {
  addFigures({ bundle: sizes });
  expectWithin(sizes.shellBytes, SHELL_LIMIT);
});

test("largest page beside the shell, gzip", () => {
  noteFound(sizes.largestRoute);
  expectWithin(sizes.largestRouteBytes, ROUTE_LIMIT);
});

test("whole bundle", () => {
  expectWithin(sizes.wholeBytes, WHOLE_LIMIT);
});

function expectWithin(bytes: number, limit: number): void {
  const kilobytes = (size: number) => `${(size / 1024).toFixed(1)} KB`;
  noteFound(`${kilobytes(bytes)} of ${kilobytes(limit)}`);
  expect(bytes).toBeLessThanOrEqual(limit);
}

function weigh(folder: string): BundleSizes {
  const assets = join(folder, "assets");
  const names = readdirSync(assets);
  const gzipped = new Map(names.map((name) => [name, gzipSync(readFileSync(join(assets, name))).length]));
  const total = (parts: Iterable<string>) => [...parts].reduce((sum, part) => sum + (gzipped.get(part) ?? 0), 0);
  const index = readFileSync(join(folder, "index.html"), "utf8");
  const entry = /<script [^>]*src="\.\/assets\/([^"]+)"/.exec(index)?.[1];
  if (entry === undefined) throw new Error("the page has no entry");
  const styles = [...index.matchAll(/href="\.\/assets\/([^"]+\.css)"/g)].map(([, name]) => String(name));
  const shell = new Set([...withImports(assets, entry), ...styles]);
  const routes = names.filter((name) => name.includes("-page-") && name.endsWith(".js"));
  const weighed = routes
    .map((name) => ({ name, bytes: total([...withImports(assets, name)].filter((part) => !shell.has(part))) }))
    .sort((one, other) => other.bytes - one.bytes);
  return {
    shellBytes: total(shell),
    largestRouteBytes: weighed[0]?.bytes ?? 0,
    largestRoute: weighed[0]?.name.replace(/-page-.*$/, "") ?? "none",
    wholeBytes: names.reduce((sum, name) => sum + statSync(join(assets, name)).size, index.length),
  };
}

/** Returns the names of a built script and of all scripts that it imports statically. */
function withImports(assets: string, entry: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [entry];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const source = readFileSync(join(assets, name), "utf8");
    // Match only static imports. A dynamic import has a parenthesis and is loaded later.
    for (const [, part] of source.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) waiting.push(String(part));
  }
  return seen;
}
