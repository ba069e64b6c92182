import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { findAdapterProblem, loadAdapterPackage } from "./adapter-package.ts";

/** Creates a folder with one installed package, like an operator's installation. */
function install(name: string, source: string): void {
  const folder = mkdtempSync(join(tmpdir(), "adapters-"));
  const home = join(folder, "node_modules", name);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), JSON.stringify({ name, type: "module", exports: { ".": "./index.js" } }));
  writeFileSync(join(home, "index.js"), source);
  vi.spyOn(process, "cwd").mockReturnValue(folder);
}

test("finds packages in the working directory and in the program's directory", () => {
  install("adapter-of-ours", 'export const createOurs = () => ({ specificationVersion: "v4", languageModel() {} });');
  expect(findAdapterProblem("adapter-of-ours")).toBeNull();
  const fetch = () => Promise.reject(new Error("no call"));
  expect(loadAdapterPackage("@ai-sdk/groq")({ apiKey: "x", fetch }).specificationVersion).toBe("v4");
});

test.for([
  ["adapter-not-there", "", /is not installed. Run npm install adapter-not-there/],
  [
    "adapter-of-old",
    'export const createOld = () => ({ specificationVersion: "v2", languageModel() {} });',
    /uses adapter API version v2 instead of v4\. Update the package/,
  ],
  ["adapter-of-none", "export const other = 1;", /exports no create… function/],
  ["adapter-that-throws", 'throw new Error("broken");', /could not be loaded: Error: broken/],
] as const)("%s is rejected with instructions for fixing it", ([name, source, problem]) => {
  if (source !== "") install(name, source);
  expect(findAdapterProblem(name)).toMatch(problem);
});

test.for([
  "../somewhere",
  "/etc/passwd",
  "file:///x.js",
  "https://example.com/x.js",
  "data:text/javascript,1",
  "node:fs",
  "",
])("rejects a value that isn't a package name: %s", (name) => {
  expect(findAdapterProblem(name)).toBe(`'${name}' is not a valid package name`);
});
