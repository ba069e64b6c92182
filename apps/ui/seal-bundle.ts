import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, relative, resolve, sep } from "node:path";
import type { Plugin } from "vite";

/** Writes down what each built file is, so that the server can tell a damaged copy from the console. */
export function writeBundleManifest(): Plugin {
  let outDir = "";
  return {
    name: "seal-bundle",
    apply: "build",
    configResolved: (config) => {
      outDir = resolve(config.root, config.build.outDir);
    },
    // Once all files are written; a build that fails does not get there, and its own error is the one to show.
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
