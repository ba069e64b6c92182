import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Import } from "./find-broken-arrows.ts";
import { root } from "./read-repository.ts";

/** Files that other code may import, by app, as paths from the root. */
export type AppExports = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads the `exports` of every app. Throws if an entry is a wildcard, or names no file or another path. */
export function readAppExports(): AppExports {
  return new Map(globSync("apps/*", { cwd: root }).map((app) => [app, new Set(readExports(app))]));
}

function readExports(app: string): readonly string[] {
  const { exports = {} } = JSON.parse(readFileSync(join(root, app, "package.json"), "utf8")) as {
    exports?: Readonly<Record<string, string>>;
  };
  return Object.entries(exports).map(([name, target]) => {
    if (target !== name.replace("./", "./src/")) throw new Error(`${app} exports ${target} as ${name}`);
    const file = join(app, target);
    if (!existsSync(join(root, file))) throw new Error(`${app} exports ${name}, which does not exist`);
    return file;
  });
}

/** Describes every import of an app's file from outside the app that the app doesn't export. */
export function findInnerImports(imports: readonly Import[], exported: AppExports): string[] {
  return importsOfApps(imports)
    .filter(({ to }) => !exported.get(appOf(to) ?? "")?.has(to))
    .map(({ from, to }) => `${from} imports ${to}: ${appOf(to)}/package.json does not export it`);
}

/** Returns the exported files that nothing outside their app imports. */
export function findUnusedExports(imports: readonly Import[], exported: AppExports): string[] {
  const used = new Set(importsOfApps(imports).map(({ to }) => to));
  return [...exported.values()].flatMap((files) => [...files].filter((file) => !used.has(file)));
}

function importsOfApps(imports: readonly Import[]): readonly Import[] {
  return imports.filter(({ from, to }) => appOf(to) !== null && appOf(to) !== appOf(from));
}

const appOf = (path: string): string | null => /^apps\/[^/]+(?=\/)/.exec(path)?.[0] ?? null;
