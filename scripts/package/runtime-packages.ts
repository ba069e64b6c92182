import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** A registry package used in production, as pinned by the lockfile. */
export interface RuntimePackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-…`, as published by the registry. */
  readonly integrity: string;
  /** True for packages that fit only some systems, such as native binaries. */
  readonly isOptional: boolean;
  /** Keys (`name@version`) of its dependencies. */
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

/**
 * Returns the production dependencies of these workspace folders, except workspace packages, which are packed as well.
 */
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

/** Returns all production packages of these folders by `name@version`, sorted. */
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
    found.set(packageKey, { ...entry, needs: [] }); // Set before visiting dependencies, because packages may depend on each other.
    const needs = [
      ...Object.entries(dependencies).map(([next, version]) => visit(next, version, isOptional)),
      ...Object.entries(optionalDependencies)
        // An optional peer is present only because this workspace has it. Users who install the package don't.
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

/** Returns a package whose code is part of the program, so that nothing is installed for it. */
export function lockedPackage(lock: Lock, name: string, version: string): RuntimePackage {
  const key = `${name}@${version}`;
  const { resolution } = lock.packages[key] ?? missing(key);
  return { name, version, integrity: resolution.integrity ?? "", isOptional: false, needs: [] };
}

/**
 * `1.0.0(peer@2.0.0)` is a position in the tree; the part before the parenthesis is the published version. An alias
 * names another package.
 */
function keysOf(name: string, resolved: string): { snapshotKey: string; packageKey: string } {
  const snapshotKey = /^@?[^@(]+@/.test(resolved) ? resolved : `${name}@${resolved}`;
  return { snapshotKey, packageKey: snapshotKey.replace(/\(.*$/, "") };
}

function missing(key: string): never {
  throw new Error(`the lock names ${key} and does not describe it`);
}
