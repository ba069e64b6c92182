import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, relative, resolve, sep } from "node:path";
import type { Plugin } from "vite";

/** Writes a manifest of the built files, so that the server can detect a damaged copy. */
export function writeBundleManifest(): Plugin {
  let outDir = "";
  return {
    name: "write-bundle-manifest",
    apply: "build",
    configResolved: (config) => {
      outDir = resolve(config.root, config.build.outDir);
    },
    // Runs after all files are written. If the build fails, this hook isn't called, and the build's own error is shown.
    writeBundle: () => {
      const files = readdirSync(outDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && extname(entry.name) !== ".map" && entry.name !== "integrity.json")
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
      const sealed = files.map((path) => [
        relative(outDir, path).replaceAll(sep, "/"),
        `sha384-${createHash("sha384").update(readFileSync(path)).digest("base64")}`,
      ]);
      writeFileSync(join(outDir, "integrity.json"), `${JSON.stringify(Object.fromEntries(sealed), null, 2)}\n`);
    },
  };
}
