import { createHash } from "node:crypto";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSite } from "../../apps/docs/src/build-site.ts";

const root = join(import.meta.dirname, "../..");
const work = mkdtempSync(join(tmpdir(), "tollgate-site-"));
const out = join(work, "site");

beforeAll(() => {
  buildSite(root, out);
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(out, path), "utf8");
const htmlPages = () => globSync("**/*.html", { cwd: out });

test("every page has a Markdown version, one h1, landmarks, and a skip link", () => {
  expect(htmlPages().length).toBeGreaterThan(200);
  for (const path of htmlPages()) {
    const html = read(path);
    expect(existsSync(join(out, path.replace(/\.html$/, ".md"))), path).toBe(true);
    expect(html.match(/<h1/g), path).toHaveLength(1);
    for (const part of ["<header", "<main", "<nav", 'class="skip" href="#content"', "Open as Markdown"]) {
      expect(html, path).toContain(part);
    }
  }
});

test("pages load no external resources and have no inline scripts or styles", () => {
  for (const path of htmlPages()) {
    const html = read(path);
    expect([...html.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?\/\/[^"]*"/g)], path).toEqual([]);
    expect(html, path).not.toMatch(/<script(?![^>]*\ssrc=)|<style|<[^>]+\s(?:style|on[a-z]+)="/);
  }
  const style = read(globSync("site/style-*.css", { cwd: out })[0] as string);
  expect(style).not.toMatch(/https?:|@import/);
});

test("every link leads to a file on the site, and every anchor leads to an ID", () => {
  const dead: string[] = [];
  for (const path of htmlPages()) {
    for (const [, href = ""] of read(path).matchAll(/\s(?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [target = "", anchor] = href.split("#", 2);
      const file = target === "" ? path : relative(out, join(out, dirname(path), target));
      if (!existsSync(join(out, file))) dead.push(`${path}: ${href}`);
      else if (anchor && file.endsWith(".html") && !read(file).includes(`id="${anchor}"`))
        dead.push(`${path}: ${href}`);
    }
  }
  expect(dead).toEqual([]);
});

test("the search index contains every page, and search finds an error by its code", () => {
  const script = read(globSync("site/search-index-*.js", { cwd: out })[0] as string);
  const entries = JSON.parse(script.slice(script.indexOf("["), script.lastIndexOf("]") + 1)) as {
    p: string;
    t: string;
  }[];
  expect(entries.map(({ p }) => p).sort()).toEqual(htmlPages().sort());
  expect(entries.find(({ t }) => t === "invalid_api_key")?.p).toBe("errors/codes/invalid_api_key.html");
});

test("llms.txt lists every page in the menu, and llms-full.txt contains all of them", () => {
  const listed = [...read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
  expect(listed).toContain("guides/credit.md");
  expect(listed.filter((path) => !existsSync(join(out, path)))).toEqual([]);
  expect(read("llms-full.txt")).toContain("<!-- guides/credit.md -->");
});

test("the build is reproducible and lists the digest of each file", () => {
  const again = join(work, "again");
  buildSite(root, again);
  expect(readFileSync(join(again, "integrity.json"), "utf8")).toBe(read("integrity.json"));
  const sealed = JSON.parse(read("integrity.json")) as Record<string, string>;
  const digest = createHash("sha384")
    .update(readFileSync(join(out, "index.html")))
    .digest("base64");
  expect(sealed["index.html"]).toBe(`sha384-${digest}`);
});
