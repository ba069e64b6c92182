import { directDependencies, type Lock, type RuntimePackage, runtimePackages } from "../package/runtime-packages.ts";

export interface ProductionPackages {
  /** Names of the packages that our own code depends on. */
  readonly direct: ReadonlySet<string>;
  readonly installed: readonly RuntimePackage[];
}

/**
 * Returns the packages installed with the product on one system. Of platform-specific packages, returns those for Linux
 * x64 with glibc.
 */
export function productionPackages(lock: Lock): ProductionPackages {
  const folders = Object.keys(lock.importers).filter((folder) =>
    /^(?:apps|packages|sdks|training)\/(?!ui$|docs$|testkit$)/.test(folder),
  );
  const direct = new Set(
    (["dependencies", "optionalDependencies"] as const).flatMap((kind) => [
      ...directDependencies(lock, folders, kind).keys(),
    ]),
  );
  const fits = (wanted: readonly string[] | undefined, value: string) => wanted === undefined || wanted.includes(value);
  const installed = [...runtimePackages(lock, folders)].filter(([key]) => {
    const { os, cpu, libc } = lock.packages[key] ?? {};
    return fits(os, "linux") && fits(cpu, "x64") && fits(libc, "glibc");
  });
  return { direct, installed: installed.map(([, found]) => found) };
}
