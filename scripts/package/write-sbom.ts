import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { RuntimePackage } from "./runtime-packages.ts";

/**
 * Writes the contents of a release as CycloneDX 1.6: the packages that are installed with it, and those whose code is
 * part of it. It has no timestamp or random number, so equal builds give equal
 * files.
 */
export function writeSbom(
  file: string,
  version: string,
  direct: readonly string[],
  installed: ReadonlyMap<string, RuntimePackage>,
  bundled: ReadonlyMap<string, RuntimePackage>,
): void {
  const packages = new Map([...bundled, ...installed].sort(([a], [b]) => (a < b ? -1 : 1)));
  const ownReference = purl("tollgate", version);
  const sbom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: serialNumber([version, ...packages.keys()]),
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": ownReference,
        name: "tollgate",
        version,
        purl: ownReference,
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: [...packages.values()].map(({ name, version: itsVersion, integrity, isOptional }) => ({
      type: "library",
      "bom-ref": purl(name, itsVersion),
      name,
      version: itsVersion,
      scope: isOptional ? "optional" : "required",
      purl: purl(name, itsVersion),
      hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex") }],
    })),
    dependencies: [
      { ref: ownReference, dependsOn: [...new Set([...direct, ...bundled.keys()])].sort().map(purlOf) },
      ...[...packages].map(([key, { needs }]) => ({ ref: purlOf(key), dependsOn: [...new Set(needs)].map(purlOf) })),
    ],
  };
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
}

const purl = (name: string, version: string): string => `pkg:npm/${name.replace("@", "%40")}@${version}`;

const purlOf = (key: string): string => {
  const at = key.lastIndexOf("@");
  return purl(key.slice(0, at), key.slice(at + 1));
};

/** Derives the required UUID (version 8) from the contents, so that it changes only with them. */
function serialNumber(contents: readonly string[]): string {
  const hex = createHash("sha256").update(contents.join("\n")).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join("-")}`;
}
