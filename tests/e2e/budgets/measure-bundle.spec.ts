import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Report } from "@tollgate/testkit/report.ts";

const SHELL_LIMIT = 220 * 1024;
const ROUTE_LIMIT = 90 * 1024;
const WHOLE_LIMIT = 3 * 1024 * 1024;

export interface BundleSizes {
  /** Gzipped size of the files that every page needs: the entry script, its imports, and the styles. */
  readonly shellBytes: number;
  /** Gzipped size of the largest page, not counting the shell. */
  readonly largestRouteBytes: number;
  readonly largestRoute: string;
  /** Total uncompressed size of all files. */
  readonly wholeBytes: number;
}

/** Checks that the built console is within its size budgets. */
export async function measureBundle(folder: string, report: Report): Promise<BundleSizes> {
  const sizes = weigh(folder);
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
  const hold = (name: string, bytes: number, limit: number) =>
    report.record(
      "budgets",
      `${name}: ${kilobytes(bytes)} of ${kilobytes(limit)}`,
      bytes <= limit ? null : `${kilobytes(bytes)} is more than ${kilobytes(limit)}`,
    );
  hold("shell, gzip", sizes.shellBytes, SHELL_LIMIT);
  hold(`largest page (${sizes.largestRoute}) beside the shell, gzip`, sizes.largestRouteBytes, ROUTE_LIMIT);
  hold("whole bundle", sizes.wholeBytes, WHOLE_LIMIT);
  return sizes;
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
