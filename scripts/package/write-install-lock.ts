import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lock, RuntimePackage } from "./runtime-packages.ts";

interface Release {
  readonly version: string;
  readonly filename: string;
  readonly integrity: string;
  /** Keys (`name@version`) of the package's direct dependencies. */
  readonly direct: readonly string[];
}

/**
 * Makes the tarball's folder installable with `npm ci`, with the exact versions and hashes this checkout is tested
 * with. Without it, npm installs the newest release that each dependency's range allows.
 */
export function writeInstallLock(
  out: string,
  release: Release,
  packages: ReadonlyMap<string, RuntimePackage>,
  lock: Lock,
): void {
  const { version, filename, integrity, direct } = release;
  const own = { dependencies: { tollgate: `file:${filename}` } };
  const places = placePackages(direct, packages);
  const entries = [...places]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([place, key]) => {
      const { name, version: itsVersion, integrity: hash, isOptional, needs } = find(packages, key);
      const { os, cpu, libc } = lock.packages[key] ?? {};
      return [
        place,
        {
          version: itsVersion,
          resolved: `https://registry.npmjs.org/${name}/-/${name.replace(/^@.*\//, "")}-${itsVersion}.tgz`,
          integrity: hash,
          ...(isOptional && { optional: true }),
          ...(os && { os }),
          ...(cpu && { cpu }),
          ...(libc && { libc }),
          ...dependenciesOf(needs, packages),
        },
      ];
    });
  const tollgate = {
    version,
    resolved: `file:${filename}`,
    integrity,
    bin: { tollgate: "bin/tollgate.js" },
    ...dependenciesOf(direct, packages),
  };
  const manifest = { name: "tollgate-installation", private: true, ...own };
  write(join(out, "package.json"), manifest);
  write(join(out, "package-lock.json"), {
    name: manifest.name,
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: manifest.name, ...own },
      "node_modules/tollgate": tollgate,
      ...Object.fromEntries(entries),
    },
  });
}

/** Assigns each package a position (position → key): at the top, or below its dependent if another version is there. */
function placePackages(direct: readonly string[], packages: ReadonlyMap<string, RuntimePackage>): Map<string, string> {
  const places = new Map<string, string>();
  const waiting = direct.map((key) => ({ key, from: "node_modules/tollgate" }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { key, from } = next;
    const { name, needs } = find(packages, key);
    const seen = resolveFrom(from, name, places);
    if (seen === key) continue;
    const place = seen === undefined ? `node_modules/${name}` : `${from}/node_modules/${name}`;
    places.set(place, key);
    waiting.push(...needs.map((needed) => ({ key: needed, from: place })));
  }
  for (const [place, key] of places) {
    for (const needed of find(packages, key).needs) {
      const found = resolveFrom(place, find(packages, needed).name, places);
      if (found !== needed) throw new Error(`${place} needs ${needed} and would find ${found}`);
    }
  }
  return places;
}

/** Resolves a name as Node does, searching upwards from a package. */
function resolveFrom(from: string, name: string, places: ReadonlyMap<string, string>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const found = places.get(folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`);
    if (found !== undefined || folder === "") return found;
  }
}

function dependenciesOf(keys: readonly string[], packages: ReadonlyMap<string, RuntimePackage>): object {
  const pick = (isWanted: (entry: RuntimePackage) => boolean) =>
    Object.fromEntries(
      keys
        .map((key) => find(packages, key))
        .filter(isWanted)
        .map(({ name, version }) => [name, version]),
    );
  const dependencies = pick(({ isOptional }) => !isOptional);
  const optionalDependencies = pick(({ isOptional }) => isOptional);
  return {
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
    ...(Object.keys(optionalDependencies).length > 0 && { optionalDependencies }),
  };
}

function find(packages: ReadonlyMap<string, RuntimePackage>, key: string): RuntimePackage {
  const found = packages.get(key);
  if (found === undefined) throw new Error(`${key} is named and not described`);
  return found;
}

function write(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
