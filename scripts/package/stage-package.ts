import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { bundlePackages } from "./bundle-packages.ts";
import { collectModules } from "./collect-modules.ts";
import {
  type Dependency,
  directDependencies,
  type Lock,
  type RuntimePackage,
  readLock,
  runtimePackages,
} from "./runtime-packages.ts";

export interface StagedPackage {
  readonly version: string;
  /** Keys (`name@version`) of the package's direct dependencies. */
  readonly direct: readonly string[];
  /** The packages that are installed with the program. */
  readonly packages: ReadonlyMap<string, RuntimePackage>;
  /** The packages whose code is part of the program. */
  readonly bundled: ReadonlyMap<string, RuntimePackage>;
  readonly lock: Lock;
}

type Dependencies = ReadonlyMap<string, Dependency>;

const ENTRY = "apps/server/src/main.ts";
const LEFT_OUT = new Set(["__pycache__", "node_modules", ".DS_Store"]);

/** Folders that the program serves, built for the release. Older builds in the checkout are not used. */
const builtFolders: Readonly<Record<string, (root: string, out: string) => void>> = {
  "apps/ui/dist": (root, out) =>
    run(
      join(root, "apps/ui/node_modules/.bin/vite"),
      ["build", "--logLevel", "warn", "--emptyOutDir", "--outDir", out],
      join(root, "apps/ui"),
    ),
  "apps/docs/dist": (root, out) => run(process.execPath, [join(root, "scripts/build-docs.ts"), "--out", out], root),
};

/** Lays out the published files in `stage`: scripts, their data files, and a manifest with exact versions. */
export async function stagePackage(root: string, stage: string): Promise<StagedPackage> {
  const lock = readLock(root);
  const { scripts, assets, imported, bundled } = await collectModules(root, ENTRY, lock);
  for (const [path, text] of scripts) write(join(stage, path), text);
  for (const path of assets) copyAsset(root, stage, path);
  writeProgram(stage);
  for (const name of ["README.md", "LICENSE", "CHANGELOG.md"]) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(stage, name));
  }
  const folders = [...new Set([...scripts.keys()].map(workspaceOf))].sort();
  const required = directDependencies(lock, folders, "dependencies");
  const bundles = await bundlePackages(root, lock, bundled, [...required.keys()]);
  for (const [path, text] of bundles.files) write(join(stage, path), text);
  const optional = directDependencies(lock, folders, "optionalDependencies");
  for (const [name, folder] of imported) {
    if (!required.has(name) && !optional.has(name))
      throw new Error(`${folder} imports ${name} and does not declare it`);
  }
  return {
    version: writeManifest(root, stage, required, optional),
    direct: [...required, ...optional].map(([name, { specifier }]) => `${name}@${specifier}`).sort(),
    packages: runtimePackages(lock, folders),
    bundled: bundles.packages,
    lock,
  };
}

const workspaceOf = (path: string): string => path.split("/").slice(0, 2).join("/");

function copyAsset(root: string, stage: string, path: string): void {
  const build = builtFolders[path];
  if (build !== undefined) return build(root, join(stage, path));
  if (basename(path) === "package.json" && path.split("/").length === 3) return copyManifest(root, stage, path);
  const from = join(root, path);
  if (!existsSync(from)) throw new Error(`the program reads ${path}, which this checkout does not have`);
  mkdirSync(dirname(join(stage, path)), { recursive: true });
  cpSync(from, join(stage, path), { recursive: true, filter: (source) => !LEFT_OUT.has(basename(source)) });
}

/** Writes the manifest with the version that the program reads. The other workspace fields are meaningless outside. */
function copyManifest(root: string, stage: string, path: string): void {
  const { name, version } = JSON.parse(readFileSync(join(root, path), "utf8")) as { name: string; version: string };
  write(join(stage, path), json({ name, version, private: true, type: "module" }));
}

// Cache compiled code, because each start loads hundreds of scripts. Child processes inherit the folder. It belongs to
// the user: in a shared folder, others could decide what runs here. If it isn't writable, only time is lost.
const PROGRAM = `#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

process.env.NODE_COMPILE_CACHE ??= join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tollgate");
enableCompileCache(process.env.NODE_COMPILE_CACHE);
await import("../apps/server/src/main.js");
`;

function writeProgram(stage: string): void {
  write(join(stage, "bin/tollgate.js"), PROGRAM);
  chmodSync(join(stage, "bin/tollgate.js"), 0o755);
}

/** Writes the package's manifest, with exact versions, and returns its version. */
function writeManifest(root: string, stage: string, required: Dependencies, optional: Dependencies): string {
  const { version, description, license, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const versions = (dependencies: Dependencies) =>
    Object.fromEntries([...dependencies].map(([name, { specifier }]) => [name, specifier]));
  write(
    join(stage, "package.json"),
    json({
      name: "tollgate",
      version,
      description,
      license,
      type: "module",
      bin: { tollgate: "bin/tollgate.js" },
      engines,
      dependencies: versions(required),
      optionalDependencies: versions(optional),
    }),
  );
  return version;
}

function run(program: string, args: readonly string[], cwd: string): void {
  if (!existsSync(program))
    throw new Error(`${program} is missing: install the checkout first (pnpm install --frozen-lockfile)`);
  execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
