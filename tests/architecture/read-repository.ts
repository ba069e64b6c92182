import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Import } from "./find-broken-arrows.ts";
import { readImports } from "./read-imports.ts";

export const root = join(import.meta.dirname, "../..");

const apps = ["cli", "docs", "gateway", "operate", "platform", "server", "ui", "worker"];

/** Packages whose folder has another name, or is neither an app nor in packages/. */
const folders: Readonly<Record<string, string>> = {
  sdk: "sdks/typescript",
  coordinator: "training/coordinator",
  participant: "training/participant-typescript",
  "training-testkit": "training/testkit",
};

/** Returns every import of a repository file or a package, as paths from the root. */
export function readRepository(): Import[] {
  return readImportsOf(
    globSync(
      ["apps/*/src/**/*.{ts,tsx}", "packages/*/src/**/*.ts", "sdks/typescript/src/**/*.ts", "training/*/src/**/*.ts"],
      { cwd: root },
    ),
  );
}

/** Returns every import of the training files, including tests, conformance, and examples. */
export function readTraining(): Import[] {
  return readImportsOf(globSync("training/**/*.ts", { cwd: root, exclude: ["**/node_modules/**"] }));
}

/** Returns every import of every file, including tests and scripts. */
export function readEverything(): Import[] {
  return readImportsOf(listEverything());
}

/** Returns the text of every file, including tests and scripts, by its path from the root. */
export function readSources(): Map<string, string> {
  return new Map(listEverything().map((file) => [file, readFileSync(join(root, file), "utf8")]));
}

function listEverything(): string[] {
  return globSync("{apps,examples,packages,scripts,sdks,tests,training}/**/*.{ts,tsx}", {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**"],
  });
}

function readImportsOf(files: readonly string[]): Import[] {
  return files.flatMap((file) =>
    readImports(readFileSync(join(root, file), "utf8")).map((specifier) => ({
      from: file,
      to: locate(file, specifier),
    })),
  );
}

/** Returns the path from the root of the file that a specifier means, or the specifier of a package. */
export function locate(file: string, specifier: string): string {
  if (specifier.startsWith(".")) return relative(root, resolve(root, dirname(file), specifier));
  const own = /^@tollgate\/([a-z-]+)\/(.+)$/.exec(specifier);
  if (own === null) return specifier;
  const [, name = "", path] = own;
  // Participants are written as their users write them. In training/, the package is an alias for the participant's.
  if (name === "sdk" && file.startsWith("training/")) return `${folders.participant}/src/${path}`;
  return `${folders[name] ?? `${apps.includes(name) ? "apps" : "packages"}/${name}`}/src/${path}`;
}
