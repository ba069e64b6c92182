import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { type Lock, lockedPackage, type RuntimePackage } from "./runtime-packages.ts";

/**
 * Packages that are bundled into the program instead of installed with it, because most of what they bring is never
 * run. Workspaces declare them as development dependencies. For each package: modules that the bundle leaves out, with
 * their replacement.
 */
const bundledPackages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The program uses one script of this package, which the package's plugin has as a string.
  "@scalar/fastify-api-reference": {
    "@scalar/client-side-rendering": "export const renderApiReference = null;",
    "@scalar/openapi-parser": "export const normalize = null, toJson = null, toYaml = null;",
    "github-slugger": "export const slug = null;",
  },
  "graphile-worker": {
    // Looks for a settings file of earlier releases, which the library no longer supports.
    cosmiconfig: "export const cosmiconfigSync = () => ({ search: () => null });",
  },
};

/** Folder of the package that contains the bundles. */
const FOLDER = "vendor";

export interface Bundles {
  /** Path in the package → JavaScript or text. */
  readonly files: ReadonlyMap<string, string>;
  /** The packages that the bundles contain parts of, by `name@version`, sorted. */
  readonly packages: ReadonlyMap<string, RuntimePackage>;
}

/** Reports whether imports of a package by a workspace folder lead to its bundle. */
export function isBundled(lock: Lock, name: string, folder: string): boolean {
  // The previous release, which is packed with this program, too, installs the package.
  return name in bundledPackages && lock.importers[folder]?.devDependencies?.[name] !== undefined;
}

/** Returns the path of a module's bundle in the package. */
export const bundlePath = (specifier: string): string => `${FOLDER}/${specifier}.js`;

/**
 * Bundles the given modules (specifier → workspace folder that imports it) and adds the licenses of everything in the
 * bundles. `installed` packages are imported as usual.
 */
export async function bundlePackages(
  root: string,
  lock: Lock,
  modules: ReadonlyMap<string, string>,
  installed: readonly string[],
): Promise<Bundles> {
  if (modules.size === 0) return { files: new Map(), packages: new Map() };
  const { outputFiles, metafile } = await build({
    entryPoints: [...modules.keys()].sort().map((specifier) => ({ in: specifier, out: specifier })),
    absWorkingDir: root, // esbuild names each file relative to this folder in a comment, which must not depend on the checkout's location.
    outdir: join(root, FOLDER),
    write: false,
    bundle: true,
    splitting: true,
    chunkNames: "shared-[hash]",
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node24",
    charset: "utf8",
    external: [...installed],
    banner: { js: REQUIRE },
    plugins: [findEntries(root, modules), leaveOut()],
  });
  const files = new Map(outputFiles.map(({ path, text }) => [relative(root, path), text]));
  const contents = listPackages(root, Object.keys(metafile.inputs));
  const packages = new Map(
    contents.map(({ name, version }) => [`${name}@${version}`, lockedPackage(lock, name, version)]),
  );
  const licenses = contents.map(({ folder, name, version }) => `${name} ${version}\n\n${readLicense(folder)}`);
  files.set(`${FOLDER}/LICENSES.txt`, `${licenses.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
  return { files, packages };
}

/** CommonJS modules in a bundle load Node's modules with `require`, which ECMAScript modules don't have. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from "node:module";
const require = createRequireOfBundle(import.meta.url);`;

/** Resolves the entry points from the folders that import them. */
function findEntries(root: string, modules: ReadonlyMap<string, string>): Plugin {
  return {
    name: "find-entries",
    setup(builder) {
      builder.onResolve({ filter: /.*/ }, ({ kind, path }) => {
        if (kind !== "entry-point") return null;
        return builder.resolve(path, { kind: "import-statement", resolveDir: join(root, modules.get(path) ?? "") });
      });
    },
  };
}

function leaveOut(): Plugin {
  const replacements = Object.assign({}, ...Object.values(bundledPackages)) as Record<string, string>;
  return {
    name: "leave-out",
    setup(builder) {
      builder.onResolve({ filter: /^[^./]/ }, ({ path }) =>
        path in replacements ? { path, namespace: "left-out" } : null,
      );
      builder.onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({ contents: replacements[path] ?? "" }));
    },
  };
}

interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
}

/** Lists the packages that contain these files, without replacements of modules that were left out. */
function listPackages(root: string, paths: readonly string[]): BundledPackage[] {
  const found = paths.filter((path) => !path.startsWith("left-out:")).map((path) => packageOf(join(root, path)));
  const byFolder = new Map(found.map((each) => [each.folder, each]));
  return [...byFolder.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

function packageOf(file: string): BundledPackage {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name, version } = JSON.parse(readFileSync(manifest, "utf8")) as Partial<BundledPackage>;
    // A folder inside a package may have a manifest, too, which says only how to read its modules.
    if (name !== undefined && version !== undefined) return { folder, name, version };
  }
  throw new Error(`${file} belongs to no package`);
}

function readLicense(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no license file, which a bundle must contain`);
  return readFileSync(join(folder, file), "utf8").trim();
}
