import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
}

export interface WorkspaceFolders {
  /** Returns the file for an import of a workspace package; null for registry packages. */
  locate(specifier: string): string | null;
  /** Returns the workspace folder that contains a file, relative to the checkout. */
  containing(file: string): string;
}

/** Returns the packages of a checkout by name. */
export function workspaceFolders(root: string): WorkspaceFolders {
  const folders = globSync(["apps/*", "packages/*", "sdks/typescript", "training/*"], { cwd: root })
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ folder, manifest: readManifest(join(root, folder)) }));
  const byName = new Map(folders.map(({ folder, manifest }) => [manifest.name, { folder, manifest }]));
  return {
    locate(specifier) {
      const [scope, name, ...rest] = specifier.split("/");
      const found = byName.get(`${scope}/${name}`);
      if (found === undefined) return null;
      const { exports = {} } = found.manifest;
      const path = ["./", ...rest.join("/")].join("");
      const target = exports[rest.length === 0 ? "." : path] ?? exports["./*"]?.replace("*", rest.join("/"));
      if (target === undefined) throw new Error(`${specifier} is not exported by ${found.folder}`);
      return join(root, found.folder, target);
    },
    containing(file) {
      const path = relative(root, file).split(sep);
      return path.slice(0, 2).join("/");
    },
  };
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
