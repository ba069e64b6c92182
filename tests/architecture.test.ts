import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { findBrokenArrows, type Import } from "./architecture/find-broken-arrows.ts";
import { readImports } from "./architecture/read-imports.ts";

const root = join(import.meta.dirname, "..");

/** Returns every import of a repository file or a package, as paths from the root. */
function readRepository(): Import[] {
  const files = globSync(["apps/*/src/**/*.{ts,tsx}", "packages/*/src/**/*.ts", "sdks/typescript/src/**/*.ts"], {
    cwd: root,
  });
  return files.flatMap((file) =>
    readImports(readFileSync(join(root, file), "utf8")).map((specifier) => ({
      from: file,
      to: locate(file, specifier),
    })),
  );
}

function locate(file: string, specifier: string): string {
  if (specifier.startsWith(".")) return relative(root, resolve(root, dirname(file), specifier));
  const own = /^@tollgate\/([a-z-]+)\/(.+)$/.exec(specifier);
  if (own === null) return specifier;
  const [, name, path] = own;
  if (name === "sdk") return `sdks/typescript/src/${path}`;
  return `${["gateway", "server", "platform", "worker", "cli", "ui"].includes(name as string) ? "apps" : "packages"}/${name}/src/${path}`;
}

test("imports follow the architecture", () => {
  const imports = readRepository();
  // If no imports were found, every rule would pass.
  expect(imports.length).toBeGreaterThan(300);
  expect(findBrokenArrows(imports)).toEqual([]);
});

test("a console page imports no other page's files", () => {
  const pageOf = (path: string) => /^apps\/ui\/src\/pages\/([^/]+)\//.exec(path)?.[1] ?? null;
  const between = readRepository().filter(({ from, to }) => pageOf(from) !== null && pageOf(to) !== null);
  expect(between.length).toBeGreaterThan(100);
  expect(between.filter(({ from, to }) => pageOf(from) !== pageOf(to))).toEqual([]);
});

test("detects an import that violates the architecture", () => {
  const broken = (from: string, to: string) => findBrokenArrows([{ from, to }]).length;
  expect(broken("packages/domain/src/money.ts", "packages/db/src/keys/find-key-by-hash.ts")).toBe(1);
  expect(broken("packages/domain/src/money.ts", "pg")).toBe(1);
  expect(broken("packages/contracts/src/failures.ts", "packages/db/src/keys/find-key-by-hash.ts")).toBe(1);
  expect(broken("packages/db/src/keys/find-key-by-hash.ts", "packages/contracts/src/failures.ts")).toBe(1);
  expect(broken("apps/gateway/src/pipeline/admit.ts", "packages/db/src/keys/find-key-by-hash.ts")).toBe(1);
  expect(broken("apps/gateway/src/routes/chat-completions.ts", "apps/gateway/src/adapters/key-directory.ts")).toBe(1);
  expect(broken("apps/gateway/src/pipeline/relay.ts", "undici")).toBe(1);
  expect(broken("apps/gateway/src/providers/openai/openai.ts", "undici")).toBe(1);
  expect(broken("packages/runtime/src/logger.ts", "apps/gateway/src/app.ts")).toBe(1);
  expect(broken("apps/gateway/src/app.ts", "apps/server/src/main.ts")).toBe(1);
  expect(broken("apps/gateway/src/app.ts", "node:child_process")).toBe(1);
});

test("accepts an allowed import", () => {
  const broken = (from: string, to: string) => findBrokenArrows([{ from, to }]);
  expect(broken("apps/gateway/src/adapters/key-directory.ts", "packages/db/src/keys/find-key-by-hash.ts")).toEqual([]);
  expect(broken("apps/gateway/src/pipeline/admit.ts", "packages/domain/src/money.ts")).toEqual([]);
  expect(broken("apps/server/src/start-gateway.ts", "apps/gateway/src/app.ts")).toEqual([]);
});
