import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** A package that the operator installed. */
interface InstalledPackage {
  /** The entry file. */
  readonly path: string;
  readonly version: string;
}

/**
 * Returns an installed package, or null if it isn't installed. Looks in the working directory first and then in the
 * program's directory, and in the parents of both. Other places, such as `NODE_PATH`, don't count.
 */
export function findPackage(name: string): InstalledPackage | null {
  for (const base of [process.cwd(), import.meta.dirname]) {
    for (let folder = base; ; folder = dirname(folder)) {
      const manifest = join(folder, "node_modules", name, "package.json");
      if (existsSync(manifest)) {
        const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
        return { path: createRequire(join(folder, "package.json")).resolve(name), version };
      }
      if (folder === dirname(folder)) break;
    }
  }
  return null;
}
