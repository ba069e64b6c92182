import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { verifyingKey } from "../packages/catalog/src/signed-catalog.ts";
import { checkoutRelease } from "./package/checkout-release.ts";
import { KEY_FILE_VARIABLE, signReleaseEdition } from "./package/sign-edition.ts";
import { stagePackage } from "./package/stage-package.ts";
import { writeInstallLock } from "./package/write-install-lock.ts";
import { writeSbom } from "./package/write-sbom.ts";

// Builds the npm package from a checkout:
//   node scripts/build-package.ts [--root DIR] [--out DIR] [--json]     this or another installed checkout
//   node scripts/build-package.ts --previous [--out DIR]                the previous release, checked out for this
//   node scripts/build-package.ts --release [--out DIR]                 also the signed catalog edition
// Writes to DIR: tollgate-<version>.tgz, its SBOM (tollgate-<version>.cdx.json), the unpacked files (package/) and a
// lockfile, with which `npm ci --ignore-scripts` installs the same versions as this checkout. With --release, it also
// writes catalog-<edition>.signed, for servers of earlier releases. TOLLGATE_CATALOG_KEY_FILE names the private key.

const here = join(import.meta.dirname, "..");
const { values: options } = parseArgs({
  options: {
    root: { type: "string", default: here },
    out: { type: "string", default: join(here, "dist/package") },
    previous: { type: "boolean", default: false },
    release: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const out = resolve(options.out);
const scratch = options.previous ? mkdtempSync(join(tmpdir(), "tollgate-release-")) : null;

try {
  const root = scratch === null ? resolve(options.root) : checkoutRelease(here, scratch);
  const stage = join(out, "package");
  mkdirSync(out, { recursive: true });
  // Before the build, which takes minutes.
  const edition = options.release ? signRelease(root) : null;
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
    ...(edition !== null && { edition }),
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
          `${report.direct_dependencies} direct dependencies, ${report.runtime_packages} packages in all, and ${report.bundled_packages} bundled${edition === null ? "" : `\n${edition}: signed catalog edition`}`,
  );
} finally {
  if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
}

/** Signs the catalog of the release with the key that its own servers trust. */
function signRelease(root: string): string {
  const keyFile = process.env[KEY_FILE_VARIABLE];
  return signReleaseEdition({ root, out, keyFile, trusted: verifyingKey(null), now: new Date() });
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
