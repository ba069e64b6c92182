import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: unknown;
  readonly scripts?: unknown;
  readonly bin: unknown;
  readonly engines: unknown;
}

const TEMPLATES = "training/coordinator/src/scaffold/templates/";
const NEEDED = ["LICENSE", "README.md", "bin/tollgate.js", "apps/ui/dist/index.html", "apps/ui/dist/integrity.json"];

/**
 * Checks that the package has only runtime files: no sources, tests, source maps, fixtures, sample pages, or install
 * scripts.
 */
export function provePackageContents(folder: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const strays = files.filter(
    (path) =>
      !path.startsWith(TEMPLATES) &&
      /\.tsx?$|\.map$|\.test\.|\.fixture\.|\/fixtures\/|testkit|__pycache__|components-page/.test(path),
  );
  assert.deepEqual(strays, []);
  for (const path of NEEDED) assert.ok(files.includes(path), `${path} is missing`);
  assert.ok(
    files.some((path) => /^packages\/db\/migrations\/\d{4}_.*\.sql$/.test(path)),
    "no migrations",
  );
  assert.ok(files.includes("packages/db/migrations/replaced.json"), "no list of replaced migrations");
  assert.ok(files.includes("packages/db/functions/settle_usage.sql"), "no SQL functions");
  const tied = files.filter(
    (path) => path.endsWith(".js") && hasPathOfBuilder(readFileSync(join(folder, path), "utf8")),
  );
  assert.deepEqual(tied, [], "these would differ if built in another folder");
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, `${name} is not an exact version`);
  }
  const licenses = readFileSync(join(folder, "vendor/LICENSES.txt"), "utf8");
  for (const name of BUNDLED) {
    assert.equal(manifest.dependencies[name], undefined, `${name} would be installed`);
    assert.match(licenses, new RegExp(`^${name} \\d`, "m"), `the license of ${name} is missing`);
  }
  assert.equal(manifest.devDependencies, undefined);
  assert.equal(manifest.scripts, undefined);
  assert.deepEqual(manifest.bin, { tollgate: "bin/tollgate.js" });
  assert.deepEqual(manifest.engines, { node: ">=24" });
}

const checkout = join(import.meta.dirname, "../..");
const hasPathOfBuilder = (script: string): boolean => /^\/\/ \.\.\//m.test(script) || script.includes(checkout);

/** Packages that are part of the program. What they would install must not be installed. */
const BUNDLED = ["@scalar/fastify-api-reference", "graphile-worker"];

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly hashes: readonly { alg: string; content: string }[];
}

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly components: readonly Component[];
  readonly dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
}

/** Checks that the SBOM is well-formed, self-contained, and lists every installed and every bundled package. */
export function proveSbom(file: string, folder: string): void {
  const sbom = JSON.parse(readFileSync(file, "utf8")) as Sbom;
  assert.equal(sbom.bomFormat, "CycloneDX");
  assert.equal(sbom.specVersion, "1.6");
  assert.match(sbom.serialNumber, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  const references = new Set(sbom.components.map((component) => component["bom-ref"]));
  assert.equal(references.size, sbom.components.length, "two components with one reference");
  for (const { name, hashes } of sbom.components) {
    assert.match(hashes[0]?.content ?? "", /^[\da-f]{128}$/, `${name} has no SHA-512`);
  }
  for (const { dependsOn } of sbom.dependencies) {
    for (const reference of dependsOn) assert.ok(references.has(reference), `${reference} is named and not described`);
  }
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  for (const [name, version] of Object.entries(dependencies)) {
    assert.ok(
      sbom.components.some((component) => component.name === name && component.version === version),
      `${name} is missing`,
    );
  }
  const names = new Set(sbom.components.map(({ name }) => name));
  assert.deepEqual(
    BUNDLED.filter((name) => !names.has(name)),
    [],
  );
}
