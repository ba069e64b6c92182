import { existsSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { bundlePath, isBundled } from "./bundle-packages.ts";
import type { Lock } from "./runtime-packages.ts";
import { workspaceFolders } from "./workspace-folders.ts";

export interface Modules {
  /** Path in the package → JavaScript. */
  readonly scripts: ReadonlyMap<string, string>;
  /** Files and folders of the checkout that the program reads at run time. */
  readonly assets: ReadonlySet<string>;
  /** Name of each installed package → a workspace folder that imports it. */
  readonly imported: ReadonlyMap<string, string>;
  /** Each module of a bundled package → a workspace folder that imports it. */
  readonly bundled: ReadonlyMap<string, string>;
}

// Modules whose paths are computed at run time, so that they cannot be found by analysis. The second path is that of
// the previous release, which is packed with this program, too.
const HIDDEN_MODULES = [
  "training/participant-typescript/src/jobs/function-thread-main.ts",
  "sdks/typescript/src/training/jobs/function-thread-main.ts",
];

/**
 * Collects every module reachable from `entry`, file by file. The package has the same folders as the checkout, so
 * files located relative to a module (threads, child processes, migrations) are found. A bundle would break that.
 */
export async function collectModules(root: string, entry: string, lock: Lock): Promise<Modules> {
  const folders = workspaceFolders(root);
  const scripts = new Map<string, string>();
  const assets = new Set<string>();
  const imported = new Map<string, string>();
  const bundled = new Map<string, string>();
  let wave = [entry, ...HIDDEN_MODULES].map((path) => join(root, path)).filter((path) => existsSync(path));
  const known = new Set(wave);

  const reach = (path: string) => {
    if (known.has(path)) return;
    known.add(path);
    next.push(path);
  };
  const resolveImport = (specifier: string, importer: string): string => {
    if (specifier.startsWith("node:")) return specifier;
    const target = specifier.startsWith(".") ? resolve(dirname(importer), specifier) : folders.locate(specifier);
    if (target === null) {
      const name = packageName(specifier);
      const folder = folders.containing(importer);
      if (isBundled(lock, name, folder)) {
        bundled.set(specifier, folder);
        return relativeSpecifier(importer, join(root, bundlePath(specifier)));
      }
      imported.set(name, folder);
      return specifier;
    }
    if (extname(target) !== ".ts") {
      assets.add(relative(root, target));
      return relativeSpecifier(importer, target);
    }
    reach(target);
    return relativeSpecifier(importer, asScript(target));
  };
  // No module of the checkout is bundled: each import is kept and points to its target in the package.
  const keepImports: Plugin = {
    name: "keep-imports",
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ kind, path, importer }) =>
        kind === "entry-point" ? null : { path: resolveImport(path, importer), external: true },
      );
    },
  };

  let next: string[] = [];
  while (wave.length > 0) {
    next = [];
    const { outputFiles } = await build({
      entryPoints: wave,
      absWorkingDir: root, // esbuild names each file relative to this folder in a comment, which must not depend on the checkout's location.
      outdir: root,
      outbase: root,
      write: false,
      bundle: true,
      treeShaking: false,
      format: "esm",
      platform: "node",
      target: "node24",
      charset: "utf8",
      plugins: [keepImports],
    });
    for (const { path, text } of outputFiles) {
      const followed = text.replaceAll(REQUIRED, (call, specifier: string) =>
        call.replace(specifier, resolveImport(specifier, path)),
      );
      scripts.set(relative(root, path), followPaths(followed, path, root, reach, assets));
    }
    wave = next.sort();
  }
  return { scripts, assets, imported, bundled };
}

/** Modules that are loaded on first use, by a function that `createRequire` returned. esbuild may number its name. */
const REQUIRED = /\brequire\d*\("([^"]+)"\)/g;
const SCRIPT_PATH = /"((?:\.{0,2}\/)?[\w./-]+\.ts)"/g;
const PATH_BESIDE = /(?:import\.meta\.dirname, |new URL\()"([^"]+)"/g;

/**
 * Finds files that a module references by path instead of import: entry points of threads and processes, and data
 * files.
 */
function followPaths(
  text: string,
  script: string,
  root: string,
  reach: (path: string) => void,
  assets: Set<string>,
): string {
  const folder = dirname(script);
  for (const [, path = ""] of text.matchAll(PATH_BESIDE)) {
    const target = resolve(folder, path);
    if (path.endsWith(".ts") || path.includes("://")) continue;
    if (!target.startsWith(root)) throw new Error(`${script} reads ${path}, which is outside the checkout`);
    assets.add(relative(root, target));
  }
  return text.replaceAll(SCRIPT_PATH, (literal, path: string) => {
    const target = resolve(folder, path);
    if (!existsSync(target) || !statSync(target).isFile()) return literal;
    reach(target);
    return literal.replace(/\.ts"$/, '.js"');
  });
}

function relativeSpecifier(importer: string, target: string): string {
  const path = relative(dirname(importer), target);
  return path.startsWith(".") ? path : `./${path}`;
}

const asScript = (path: string): string => path.replace(/\.ts$/, ".js");

const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
