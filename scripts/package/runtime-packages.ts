import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** A package of the registry that runs in production, as the lock pins it. */
export interface RuntimePackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-…`, as the registry gave it. */
  readonly integrity: string;
  /** Only fits some systems, such as a compiled part. */
  readonly isOptional: boolean;
  /** Keys (`name@version`) of what it needs itself. */
  readonly needs: readonly string[];
}

export interface Dependency {
  readonly specifier: string;
  readonly version: string;
}

interface Importer {
  readonly dependencies?: Readonly<Record<string, Dependency>>;
  readonly optionalDependencies?: Readonly<Record<string, Dependency>>;
  readonly devDependencies?: Readonly<Record<string, Dependency>>;
}

interface Snapshot {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Resolution {
  readonly integrity?: string;
  readonly tarball?: string;
}

export interface LockedPackage {
  readonly resolution: Resolution;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

export interface Lock {
  readonly importers: Readonly<Record<string, Importer>>;
  readonly packages: Readonly<Record<string, LockedPackage>>;
  readonly snapshots: Readonly<Record<string, Snapshot>>;
}

export const readLock = (root: string): Lock => parse(readFileSync(join(root, "pnpm-lock.yaml"), "utf8")) as Lock;

/** What these workspace folders declare for production: other workspace packages are left out, for they are packed along. */
export function directDependencies(
  lock: Lock,
  folders: Iterable<string>,
  kind: "dependencies" | "optionalDependencies",
) {
  const found = new Map<string, Dependency>();
  for (const folder of folders) {
    for (const [name, dependency] of Object.entries(lock.importers[folder]?.[kind] ?? {})) {
      if (dependency.version.startsWith("link:")) continue;
      const other = found.get(name);
      if (other !== undefined && other.specifier !== dependency.specifier) {
        throw new Error(`${name} is wanted as ${other.specifier} and, by ${folder}, as ${dependency.specifier}`);
      }
      found.set(name, dependency);
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Everything those folders bring into production, by `name@version`, sorted. */
export function runtimePackages(lock: Lock, folders: readonly string[]): ReadonlyMap<string, RuntimePackage> {
  const found = new Map<string, RuntimePackage>();
  const visit = (name: string, resolved: string, isOptional: boolean): string => {
    const { snapshotKey, packageKey } = keysOf(name, resolved);
    const known = found.get(packageKey);
    if (known !== undefined && (isOptional || !known.isOptional)) return packageKey;
    const { dependencies = {}, optionalDependencies = {} } = lock.snapshots[snapshotKey] ?? missing(snapshotKey);
    const { resolution, peerDependenciesMeta = {} } = lock.packages[packageKey] ?? missing(packageKey);
    const at = packageKey.lastIndexOf("@");
    const entry = {
      name: packageKey.slice(0, at),
      version: packageKey.slice(at + 1),
      integrity: resolution.integrity ?? "",
      isOptional,
    };
    found.set(packageKey, { ...entry, needs: [] }); // Before what it needs: packages may need each other.
    const needs = [
      ...Object.entries(dependencies).map(([next, version]) => visit(next, version, isOptional)),
      ...Object.entries(optionalDependencies)
        // An optional peer is there because this workspace has it; whoever installs the package has none.
        .filter(([next]) => peerDependenciesMeta[next]?.optional !== true)
        .map(([next, version]) => visit(next, version, true)),
    ];
    found.set(packageKey, { ...entry, needs: needs.sort() });
    return packageKey;
  };
  for (const [name, { version }] of directDependencies(lock, folders, "dependencies")) visit(name, version, false);
  for (const [name, { version }] of directDependencies(lock, folders, "optionalDependencies"))
    visit(name, version, true);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `1.0.0(peer@2.0.0)` is a place in the tree; the part before the parenthesis is what was published. An alias names another package. */
function keysOf(name: string, resolved: string): { snapshotKey: string; packageKey: string } {
  const snapshotKey = /^@?[^@(]+@/.test(resolved) ? resolved : `${name}@${resolved}`;
  return { snapshotKey, packageKey: snapshotKey.replace(/\(.*$/, "") };
}

function missing(key: string): never {
  throw new Error(`the lock names ${key} and does not describe it`);
}
