import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkoutRelease } from "./package/checkout-release.ts";
import { stagePackage } from "./package/stage-package.ts";
import { writeInstallLock } from "./package/write-install-lock.ts";
import { writeSbom } from "./package/write-sbom.ts";

// Builds the npm package from a checkout:
//   node scripts/build-package.ts [--root DIR] [--out DIR] [--json]     this or another installed checkout
//   node scripts/build-package.ts --previous [--out DIR]                the previous release, checked out for this
// Writes to DIR: tollgate-<version>.tgz, its SBOM (tollgate-<version>.cdx.json), the unpacked files (package/) and a
// lockfile, with which `npm ci --ignore-scripts` installs the same versions as this checkout.

const here = join(import.meta.dirname, "..");
const { values: options } = parseArgs({
  options: {
    root: { type: "string", default: here },
    out: { type: "string", default: join(here, "dist/package") },
    previous: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const out = resolve(options.out);
const scratch = options.previous ? mkdtempSync(join(tmpdir(), "tollgate-release-")) : null;

try {
  const root = scratch === null ? resolve(options.root) : checkoutRelease(here, scratch);
  const stage = join(out, "package");
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  const { version, direct, packages, bundled, lock } = await stagePackage(root, stage);
  const packed = pack(stage);
  const tarball = join(out, packed.filename);
  const sbom = join(out, `tollgate-${version}.cdx.json`);
  writeSbom(sbom, version, direct, packages, bundled);
  writeInstallLock(out, { version, direct, filename: packed.filename, integrity: packed.integrity }, packages, lock);
  const report = {
    version,
    tarball,
    sbom,
    tarball_bytes: statSync(tarball).size,
    unpacked_bytes: packed.unpackedSize,
    files: packed.entryCount,
    direct_dependencies: direct.length,
    runtime_packages: packages.size,
    bundled_packages: bundled.size,
    integrity: packed.integrity,
  };
  console.log(
    options.json
      ? JSON.stringify(report)
      : `${tarball}: ${megabytes(report.tarball_bytes)} packed, ${megabytes(report.unpacked_bytes)} unpacked in ${report.files} files; ` +
          `${report.direct_dependencies} direct dependencies, ${report.runtime_packages} packages in all, and ${report.bundled_packages} bundled`,
  );
} finally {
  if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
}

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly entryCount: number;
  readonly integrity: string;
}

/** Packs the package. npm writes the same time and owner for every file, so equal contents give an equal archive. */
function pack(stage: string): Packed {
  const args = ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", out];
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: stage, encoding: "utf8", maxBuffer: 1e8 })) as (
    | Packed
    | undefined
  )[];
  const staged = readdirSync(stage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  // npm silently excludes some file names.
  if (packed?.entryCount !== staged) throw new Error(`npm packed ${packed?.entryCount} of ${staged} files`);
  return packed;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
