import { expect, test } from "vitest";
import { findInnerImports, findUnusedExports, readAppExports } from "./architecture/app-exports.ts";
import { findBrokenArrows } from "./architecture/find-broken-arrows.ts";
import { findCycles } from "./architecture/find-cycles.ts";
import { findUpwardImports, importsInGateway } from "./architecture/gateway-floors.ts";
import { readEverything, readRepository, readSources, readTraining } from "./architecture/read-repository.ts";
import { findUnimportedNames } from "./architecture/unimported-names.ts";

test("imports follow the architecture", () => {
  const imports = readRepository();
  // If no imports were found, every rule would pass.
  expect(imports.length).toBeGreaterThan(300);
  expect(findBrokenArrows(imports)).toEqual([]);
});

test("a gateway file imports only from its own folder or from a lower floor", () => {
  const imports = readRepository();
  expect(importsInGateway(imports).length).toBeGreaterThan(1_000);
  expect(findUpwardImports(imports)).toEqual([]);
});

test("no files of the gateway import each other in a circle, not even for types", () => {
  expect(findCycles(importsInGateway(readRepository()))).toEqual([]);
});

test("no files import each other in a circle, not even for types, and not even tests", () => {
  const imports = readRepository();
  expect(imports.length).toBeGreaterThan(3_000);
  // A hold knows the lease that it was taken from, and the lease knows the calls that wait to raise their hold.
  const credit = ["hold", "lease-question", "organization-lease", "waiting-call"];
  expect(findCycles(imports)).toEqual([credit.map((name) => `packages/domain/src/credit/${name}.ts`)]);
});

test("a console page imports no other page's files", () => {
  const pageOf = (path: string) => /^apps\/ui\/src\/pages\/([^/]+)\//.exec(path)?.[1] ?? null;
  const between = readRepository().filter(({ from, to }) => pageOf(from) !== null && pageOf(to) !== null);
  expect(between.length).toBeGreaterThan(100);
  expect(between.filter(({ from, to }) => pageOf(from) !== pageOf(to))).toEqual([]);
});

test("an app is imported only through its exports, by tests and scripts too, and every export is imported", () => {
  const imports = readEverything();
  const exported = readAppExports();
  expect(imports.length).toBeGreaterThan(3_000);
  expect(findInnerImports(imports, exported)).toEqual([]);
  expect(findUnusedExports(imports, exported)).toEqual([]);
});

test("detects an import of an app's inner file, with a package name or a relative path", () => {
  const exported = new Map([["apps/gateway", new Set(["apps/gateway/src/app.ts"])]]);
  const inner = (from: string, to: string) => findInnerImports([{ from, to }], exported).length;
  expect(inner("apps/server/src/start-gateway.ts", "apps/gateway/src/app.ts")).toBe(0);
  expect(inner("apps/gateway/src/http/http-server.ts", "apps/gateway/src/call/call.ts")).toBe(0);
  expect(inner("apps/server/src/start-gateway.ts", "apps/gateway/src/call/call.ts")).toBe(1);
  expect(inner("tests/bench/run.ts", "apps/gateway/src/call/call.ts")).toBe(1);
  expect(inner("scripts/generate-openapi.ts", "apps/ui/src/main.tsx")).toBe(1);
  expect(findUnusedExports([], exported)).toEqual(["apps/gateway/src/app.ts"]);
});

test("every name that a file of a workspace exports is imported by another file", () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(3_000);
  expect(findUnimportedNames(sources)).toEqual([]);
});

test("detects an exported name that no other file imports", () => {
  const used = "export interface Used {}\nexport const alsoUsed = 1;\n";
  const sources = new Map([
    ["packages/domain/src/money.ts", `${used}export type Unused = 1;\nexport async function unused() {}\n`],
    ["packages/domain/src/loaded.ts", "export const loaded = 1;\n"],
    ["packages/domain/src/price.test.ts", 'import { type Used, alsoUsed as other } from "./money.ts";\n'],
    ["apps/worker/src/main.ts", 'const { loaded } = await import("@tollgate/domain/loaded.ts");\n'],
  ]);
  expect(findUnimportedNames(sources)).toEqual([
    "packages/domain/src/money.ts exports Unused",
    "packages/domain/src/money.ts exports unused",
  ]);
});

test("training imports nothing else from the repository, tests included", () => {
  const imports = readTraining().filter(({ to }) =>
    /^(?:apps|packages|sdks|scripts|tests|training|examples)\//.test(to),
  );
  expect(imports.length).toBeGreaterThan(300);
  expect(imports.filter(({ to }) => !to.startsWith("training/"))).toEqual([]);
});

test("detects an import that violates the architecture", () => {
  const broken = (from: string, to: string) => findBrokenArrows([{ from, to }]).length;
  expect(broken("packages/domain/src/money.ts", "packages/db/src/keys/find-key-by-hash.ts")).toBe(1);
  expect(broken("packages/domain/src/money.ts", "pg")).toBe(1);
  expect(broken("packages/contracts/src/failures.ts", "packages/db/src/keys/find-key-by-hash.ts")).toBe(1);
  expect(broken("packages/db/src/keys/find-key-by-hash.ts", "packages/contracts/src/failures.ts")).toBe(1);
  expect(broken("apps/gateway/src/pipeline/admit.ts", "packages/db/src/keys/find-key-by-hash.ts")).toBe(1);
  expect(broken("apps/gateway/src/http/routes/chat-completions.ts", "apps/gateway/src/adapters/key-directory.ts")).toBe(
    1,
  );
  expect(broken("apps/gateway/src/pipeline/relay.ts", "undici")).toBe(1);
  expect(broken("apps/gateway/src/providers/openai/openai.ts", "undici")).toBe(1);
  expect(broken("packages/runtime/src/logger.ts", "apps/gateway/src/app.ts")).toBe(1);
  expect(broken("apps/gateway/src/app.ts", "apps/server/src/main.ts")).toBe(1);
  expect(broken("apps/gateway/src/app.ts", "node:child_process")).toBe(1);
  expect(broken("training/coordinator/src/coordinator.ts", "packages/domain/src/money.ts")).toBe(1);
  expect(broken("training/participant-typescript/src/wire/spool.ts", "training/coordinator/src/coordinator.ts")).toBe(
    1,
  );
  expect(broken("apps/operate/src/doctor/doctor.ts", "apps/server/src/known-providers.ts")).toBe(1);
  expect(broken("apps/operate/src/doctor/doctor.ts", "apps/gateway/src/providers/registry.ts")).toBe(1);
});

test("detects a gateway import that points up, or a folder without a floor", () => {
  const gateway = (path: string) => `apps/gateway/src/${path}`;
  const upward = (from: string, to: string) => findUpwardImports([{ from: gateway(from), to: gateway(to) }]).length;
  expect(upward("call/call.ts", "wire/edit-body.ts")).toBe(1);
  expect(upward("operations/chat/chat.ts", "providers/openai/openai.ts")).toBe(1);
  expect(upward("pipeline/steps.ts", "http/http-server.ts")).toBe(1);
  expect(upward("http/http-server.ts", "app.ts")).toBe(1);
  expect(upward("helpers/text.ts", "call/call.ts")).toBe(1);
  expect(upward("app.ts", "helpers/text.ts")).toBe(1);
  expect(upward("http/http-server.ts", "pipeline/steps.ts")).toBe(0);
  expect(upward("providers/openai/openai.ts", "operations/chat/chat.ts")).toBe(0);
  expect(upward("app.ts", "adapters/upstream-clients.ts")).toBe(0);
});

test("accepts an allowed import", () => {
  const broken = (from: string, to: string) => findBrokenArrows([{ from, to }]);
  expect(broken("apps/gateway/src/adapters/key-directory.ts", "packages/db/src/keys/find-key-by-hash.ts")).toEqual([]);
  expect(broken("apps/gateway/src/pipeline/admit.ts", "packages/domain/src/money.ts")).toEqual([]);
  expect(broken("apps/server/src/start-gateway.ts", "apps/gateway/src/app.ts")).toEqual([]);
  expect(broken("apps/server/src/server-commands.ts", "apps/operate/src/doctor/doctor.ts")).toEqual([]);
});
