import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { askPage, startPages } from "./console.fixture.ts";
import { test } from "./hosted-platform.fixture.ts";

const files: Readonly<Record<string, string>> = {
  "index.html": "<h1>All pages</h1>",
  "guides/index.html": "<h1>Guides</h1>",
  "guides/credit.html": "<h1>Credit</h1>",
  "guides/credit.md": "# Credit",
  "api/authentication.html": "<h1>Authentication</h1>",
  "site/site-abc.js": "run()",
  "llms.txt": "# Tollgate",
};

/** Creates a folder that looks like the documentation's build output. */
function buildDocs(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const sealed = Object.entries(files).map(([path, text]) => [
    path,
    `sha384-${createHash("sha384").update(text).digest("base64")}`,
  ]);
  writeFileSync(join(folder, "integrity.json"), JSON.stringify(Object.fromEntries(sealed)));
  return folder;
}

test.for([
  ["", ""],
  ["/x/y", "general_settings: { server_root_path: /x/y }"],
] as const)(
  "the documentation is fully served under '%s/docs/' and loads no external resources",
  async ([root, yaml], { database }) => {
    const { url } = await startPages(database, yaml, { docsFolder: buildDocs() });
    expect(await askPage(url, `${root}/docs`)).toMatchObject({ status: 303, headers: { location: `${root}/docs/` } });
    expect(await askPage(url, `${root}/docs/guides`)).toMatchObject({ headers: { location: `${root}/docs/guides/` } });
    for (const [path, text] of [
      ["/docs/", "<h1>All pages</h1>"],
      ["/docs/guides/", "<h1>Guides</h1>"],
      ["/docs/guides/credit", "<h1>Credit</h1>"],
      ["/docs/guides/credit.html?from=console", "<h1>Credit</h1>"],
      ["/docs/api/authentication.html", "<h1>Authentication</h1>"],
    ] as const) {
      const page = await askPage(url, root + path);
      expect(page, path).toMatchObject({ status: 200, text, headers: { "content-type": "text/html; charset=utf-8" } });
      expect(page.headers["content-security-policy"]).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
    }
    const asset = await askPage(url, `${root}/docs/site/site-abc.js`);
    expect(asset.headers["cache-control"]).toContain("immutable");
    expect((await askPage(url, `${root}/docs/guides/credit.md`)).headers["content-type"]).toMatch(/^text\/plain/);
    for (const path of ["/docs/nothing", "/docs/guides/../../package.json", "/docs/%2e%2e/package.json"]) {
      expect(await askPage(url, root + path), path).toMatchObject({ status: 404 });
    }
    expect(await askPage(url, `${root}/docs/`, { method: "POST" })).toMatchObject({ status: 405 });
    // The gateway serves the API reference, but this server has no gateway.
    expect((await askPage(url, `${root}/docs/api`)).text).toContain("not_found");
  },
);

test("a modified documentation file is reported and not served, and all other endpoints work", async ({ database }) => {
  const docsFolder = buildDocs();
  writeFileSync(join(docsFolder, "guides/credit.html"), "<script>steal()</script>");
  const { url, reload } = await startPages(database, "", { docsFolder });
  const page = await askPage(url, "/docs/guides/credit.html");
  expect(page).toMatchObject({
    status: 503,
    text: expect.stringContaining("guides/credit.html does not match its build"),
  });
  expect((await askPage(url, "/ui/")).status).toBe(200);
  writeFileSync(join(docsFolder, "guides/credit.html"), files["guides/credit.html"] as string);
  await reload("");
  expect((await askPage(url, "/docs/guides/credit.html")).status).toBe(200);
});

test("a server with the console disabled still serves the documentation", async ({ database }) => {
  const { url } = await startPages(database, "general_settings: { disable_admin_ui: true }", {
    docsFolder: buildDocs(),
  });
  expect((await askPage(url, "/ui/")).status).toBe(404);
  expect((await askPage(url, "/docs/")).status).toBe(200);
});
