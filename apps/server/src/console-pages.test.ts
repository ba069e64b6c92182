import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { askPage, buildConsole, consoleFiles, integrityOf, startPages } from "./console.fixture.ts";
import { startHostedPlatform, test } from "./hosted-platform.fixture.ts";

const ROOT = "general_settings: { server_root_path: /x/y }";

test.for([
  ["", ""],
  ["/x/y", ROOT],
] as const)("serves the complete console below '%s/ui/'", async ([root, yaml], { database }) => {
  const { url } = await startPages(database, yaml);
  const bare = await askPage(url, `${root}/ui?from=mail`);
  expect(bare).toMatchObject({ status: 303, headers: { location: `${root}/ui/?from=mail` } });
  for (const path of ["/ui/", "/ui/logs/use_01J?range=7d", "/ui/model_hub_table/sim%2Fecho", "/ui/a.b/c"]) {
    const page = await askPage(url, root + path);
    expect(page, path).toMatchObject({ status: 200, headers: { "cache-control": "no-cache" } });
    expect(page.text).toContain(`<base href="${root}/ui/" />`);
  }
  const asset = await askPage(url, `${root}/ui/assets/page-ghi.js`);
  expect(asset).toMatchObject({
    status: 200,
    text: consoleFiles["assets/page-ghi.js"],
    headers: { "cache-control": "public, max-age=31536000, immutable", "content-type": /^text\/javascript/ },
  });
  const config = await askPage(url, `${root}/ui/config.json`);
  expect(JSON.parse(config.text)).toEqual({
    basePath: root,
    apiUrl: `http://${new URL(url).host}${root}`,
    instanceName: new URL(url).host,
    version: expect.stringMatching(/^\d/),
    keyHeader: "x-gw-api-key",
    signUp: true,
    publicHub: false,
    payments: "fake",
    purchaseNanoUsd: { least: "5000000000", most: "10000000000000" },
    training: false,
    isDevelopment: false,
    timezone: "UTC",
    docsUrl: `${root}/docs`,
  });
  expect(await askPage(url, `${root}/ui/assets/page-old.js`)).toMatchObject({ status: 404 });
  expect(await askPage(url, `${root}/ui/`, { method: "POST" })).toMatchObject({ status: 405 });
  const head = await askPage(url, `${root}/ui/`, { method: "HEAD" });
  expect(head).toMatchObject({ status: 200, text: "" });
  expect(Number(head.headers["content-length"])).toBeGreaterThan(100);
});

test("the page's content security policy allows only the build's scripts and no external sources", async ({
  database,
}) => {
  const { url } = await startPages(database);
  const page = await askPage(url, "/ui/");
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toMatch(/default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self';/);
  expect(policy).not.toMatch(/https?:|script-src[^;]*unsafe|\*/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(page.headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
    "cross-origin-opener-policy": "same-origin",
  });
  const integrity = (path: string) => integrityOf(consoleFiles[path] as string);
  expect(page.text).toContain(`src="./assets/main-abc.js" integrity="${integrity("assets/main-abc.js")}"`);
  expect(page.text).toContain(`href="./assets/main-def.css" integrity="${integrity("assets/main-def.css")}"`);
  // Lazily loaded modules are in the import map.
  expect(page.text).toContain(`"./assets/page-ghi.js":"${integrity("assets/page-ghi.js")}"`);
});

test("files are compressed if the browser accepts compression, and not sent again if the ETag matches", async ({
  database,
}) => {
  const { url } = await startPages(database);
  const ask = (headers: Record<string, string>) => askPage(url, "/ui/assets/main-abc.js", { headers });
  const plain = await ask({});
  for (const encoding of ["br", "gzip"]) {
    const packed = await ask({ "accept-encoding": `deflate, ${encoding}` });
    expect(packed.headers).toMatchObject({ "content-encoding": encoding, vary: "accept-encoding" });
    expect(Number(packed.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]) / 4);
  }
  expect((await ask({ "accept-encoding": "br;q=0" })).headers["content-encoding"]).toBeUndefined();
  const known = await ask({ "if-none-match": String(plain.headers.etag) });
  expect(known).toMatchObject({ status: 304, text: "" });
});

const climbing = [
  "/ui/../../etc/passwd",
  "/ui/..%2f..%2fetc/passwd",
  "/ui/%2e%2e/%2e%2e/etc/passwd",
  "/ui/assets/../../../etc/passwd",
  "/ui/assets/%2e%2e%2findex.html",
  "/ui/..\\..\\etc\\passwd",
  "/ui/%00",
  "/ui/%zz",
  "/ui/integrity.json%00.js",
];

test("rejects path traversal outside the console folder", async ({ database }) => {
  const { url } = await startPages(database);
  for (const path of climbing) {
    const answer = await askPage(url, path);
    expect(answer.status, path).toBe(404);
    expect(answer.text).not.toContain("root:");
  }
});

test("without a bundle, the page explains how to build it, and all other endpoints work", async ({ database }) => {
  const folder = buildConsole();
  rmSync(folder, { recursive: true });
  const hosted = await startPages(database, ROOT, { consoleFolder: folder });
  const page = await askPage(hosted.url, "/x/y/ui/");
  expect(page).toMatchObject({ status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
  expect(page.text).toContain("The console has not been built.");
  expect(page.text).toContain("bin/pnpm --dir apps/ui build");
  expect(page.text).toContain('href="/x/y/fallback/login"');
  expect(page.text).toContain('href="/x/y/docs/api"');
  expect((await askPage(hosted.url, "/x/y/fallback/login")).status).toBe(200);
  expect((await askPage(hosted.url, "/x/y/ui/config.json")).status).toBe(200);
  expect(await hosted.signUp()).toMatchObject({ token: expect.any(String) });
});

test("a damaged file is never served, and the page names it until a reload finds it intact", async ({ database }) => {
  const folder = buildConsole();
  const path = join(folder, "assets/main-abc.js");
  const text = consoleFiles["assets/main-abc.js"] as string;
  writeFileSync(path, text.slice(0, 100));
  const hosted = await startPages(database, "", { consoleFolder: folder });
  const page = await askPage(hosted.url, "/ui/");
  expect(page.status).toBe(503);
  expect(page.text).toContain("assets/main-abc.js does not match its build");
  expect((await askPage(hosted.url, "/ui/assets/main-abc.js")).status).toBe(503);
  writeFileSync(path, text);
  await hosted.reload("");
  expect((await askPage(hosted.url, "/ui/")).status).toBe(200);
});

test("a server with the console disabled has no console and no login form", async ({ database }) => {
  const { url } = await startPages(database, "general_settings: { disable_admin_ui: true }");
  for (const path of ["/ui", "/ui/", "/ui/config.json", "/fallback/login"]) {
    expect((await askPage(url, path)).status, path).toBe(404);
  }
});

test("a gateway that hosts the platform serves the pages alongside the API, even under a configured root path", async ({
  database,
}) => {
  const start = { consoleFolder: buildConsole() };
  const hosted = await startHostedPlatform(database, "http://127.0.0.1:9", ROOT, start);
  onTestFinished(() => hosted.stop());
  const { url } = hosted;
  for (const path of ["/x/y/ui/logs", "/ui/logs", "/x/y/fallback/login", "/x/y/ui/config.json", "/x/y/api/health"]) {
    expect((await askPage(url, path)).status, path).toBe(200);
  }
  expect((await askPage(url, "/x/y/ui")).headers.location).toBe("/x/y/ui/");
  expect((await askPage(url, "/x/ui/")).status).toBe(404);
  // Below /docs, the platform serves the pages and the gateway serves the API reference.
  expect((await askPage(url, "/x/y/docs")).headers.location).toBe("/x/y/docs/");
  for (const path of ["/docs/api", "/x/y/docs/api?from=page"]) {
    expect((await askPage(url, path)).text, path).toContain("/docs/api/viewer.js");
  }
  // The gateway still handles `/`.
  expect((await askPage(url, "/")).headers["content-type"]).toMatch(/^application\/json/);
});

test.for([
  ["/", "", ""],
  ["/x/y", "/x/y", ROOT],
  ["/x/y/?from=mail", "/x/y", ROOT],
] as const)("a browser gets a page with links at '%s'", async ([path, root, yaml], { database }) => {
  const { url } = await startPages(database, yaml);
  const page = await askPage(url, path, { headers: { accept: "text/html,application/xhtml+xml" } });
  expect(page).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8", vary: "accept" } });
  for (const target of ["/ui/", "/ui/model_hub_table", "/docs", "/docs/api", "/api/ready"]) {
    expect(page.text).toContain(`<a href="${root}${target}">`);
  }
  expect(page.text).toContain(`${url}${root}/v1`);
});

test("the front page has no links to a disabled console", async ({ database }) => {
  const { url } = await startPages(database, "general_settings: { disable_admin_ui: true }");
  const page = await askPage(url, "/", { headers: { accept: "text/html" } });
  expect(page.text).not.toContain("/ui/");
  expect(page.text).toContain('<a href="/docs">');
});
