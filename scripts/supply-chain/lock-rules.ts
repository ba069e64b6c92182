import type { Lock } from "../package/runtime-packages.ts";

/** Finds lockfile entries that are not pinned by a hash of the registry's archive. */
export function findUnpinnedEntries(lock: Lock): string[] {
  const entries = Object.entries(lock.packages).flatMap(([key, { resolution }]) => {
    const { integrity = "", ...origin } = resolution as Record<string, string>;
    if (Object.keys(origin).length > 0) return [`${key} does not come from the registry: ${JSON.stringify(origin)}`];
    return /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) ? [] : [`${key} has no sha512 in the lock`];
  });
  const links = Object.entries(lock.importers).flatMap(
    ([folder, { dependencies, devDependencies, optionalDependencies }]) =>
      Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([, { version }]) => /^(?:file|git|https?|github):|\.git(?:#|$)/.test(version))
        .map(([name, { version }]) => `${folder} takes ${name} from ${version}`),
  );
  return [...entries, ...links];
}

/** Finds versions that others could change later: ranges, tags, URLs. */
export function findLooseVersions(lock: Lock): string[] {
  return Object.entries(lock.importers).flatMap(([folder, { dependencies, devDependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter(
        ([, { specifier }]) => !/^(?:workspace:(?:@tollgate\/[a-z-]+@)?\*|\d+\.\d+\.\d+(?:-[\w.]+)?)$/.test(specifier),
      )
      .map(([name, { specifier }]) => `${folder} asks for ${name} ${specifier}, which is not one version`),
  );
}

export interface Floor {
  /** First safe release of each affected release line. Newer lines are safe. */
  readonly floors: readonly string[];
  readonly why: string;
}

/** Finds locked versions that are known to be unsafe. */
export function findUnsafeVersions(lock: Lock, floors: Readonly<Record<string, Floor>>): string[] {
  return Object.keys(lock.packages).flatMap((key) => {
    const at = key.lastIndexOf("@");
    const floor = floors[key.slice(0, at)];
    if (floor === undefined || isSafe(key.slice(at + 1), floor.floors)) return [];
    return [`${key} is below ${floor.floors.join(" or ")}: ${floor.why}`];
  });
}

function isSafe(version: string, floors: readonly string[]): boolean {
  const line = Number.parseInt(version, 10);
  const sameLine = floors.find((floor) => Number.parseInt(floor, 10) === line);
  if (sameLine !== undefined) return compareVersions(version, sameLine) >= 0;
  return floors.every((floor) => Number.parseInt(floor, 10) < line);
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.replace(/-.*/, "").split(".").map(Number)) as [
    number[],
    number[],
  ];
  const differing = left.findIndex((part, index) => part !== right[index]);
  if (differing >= 0) return (left[differing] ?? 0) - (right[differing] ?? 0);
  return Number(b.includes("-")) - Number(a.includes("-")); // A prerelease comes before its release.
}
