import { expect, test } from "vitest";
import { startApi } from "../api.fixture.ts";

test("/docs redirects to the API reference, which needs no key", async () => {
  await using rest = await startApi();
  for (const path of ["/docs", "/docs/api/"]) {
    const response = await rest.get(path, { key: null });
    expect([response.status, response.headers.get("location")]).toEqual([302, "/docs/api"]);
  }
  expect((await rest.get("/docs/api", { key: null })).headers.get("content-type")).toBe("text/html; charset=utf-8");
});

test("the page loads only local scripts, and its content security policy blocks all other sources", async () => {
  await using rest = await startApi({ yaml: "general_settings: { server_root_path: /gateway }" });
  const page = await rest.get("/gateway/docs/api", { key: null });
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);

  const html = await page.text();
  expect(html).not.toMatch(/https?:/);
  expect(html).not.toMatch(/<script>|\son\w+=|style=/);
  const sources = [...html.matchAll(/<script src="([^"]+)">/g)].map(([, source = ""]) => source);
  expect(sources.map((source) => source.split("?")[0])).toEqual([
    "/gateway/docs/api/viewer.js",
    "/gateway/docs/api/start.js",
  ]);
  for (const source of sources) {
    const script = await rest.get(source, { key: null });
    expect(script.status).toBe(200);
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("x-content-type-options")).toBe("nosniff");
  }
});

test("the viewer script uses no eval, is cacheable, and is compressed for clients that accept gzip", async () => {
  await using rest = await startApi();
  const plain = await rest.get("/docs/api/viewer.js", { key: null, headers: { "accept-encoding": "identity" } });
  const script = await plain.text();
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(script).toContain("createApiReference");
  expect(script).not.toMatch(/\bnew Function\(|[^\w.]eval\(|new Worker\(/);
  const compressed = await rest.get("/docs/api/viewer.js", { key: null, headers: { "accept-encoding": "br, gzip" } });
  expect(compressed.headers.get("content-encoding")).toBe("gzip");
  expect(compressed.headers.get("cache-control")).toContain("immutable");
  expect(Number(compressed.headers.get("content-length"))).toBeLessThan(script.length / 2);
  expect(await compressed.text()).toBe(script);
});

test("the viewer reads /openapi.json, and its default fonts and telemetry are turned off", async () => {
  await using rest = await startApi();
  const start = await (await rest.get("/docs/api/start.js", { key: null })).text();
  const configuration: unknown = JSON.parse(start.slice(start.indexOf("{"), start.lastIndexOf("}") + 1));
  expect(configuration).toMatchObject({ url: "/openapi.json", withDefaultFonts: false, telemetry: false });
  expect((await rest.get("/docs/api/other.js", { key: null })).status).toBe(404);
});
