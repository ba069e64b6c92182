import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gatewayCodes, managementReasons } from "../../packages/contracts/src/failure-table.ts";
import { findDeadLinks } from "./find-dead-links.ts";

const root = join(import.meta.dirname, "../..");

function readAll(patterns: readonly string[]) {
  return globSync(patterns, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**", "tools/**", "**/.*/**"] }).map(
    (source) => ({ source, markdown: readFileSync(join(root, source), "utf8") }),
  );
}

test("pages have no dead links", () => {
  const pages = readAll([
    "*.md",
    "docs/**/*.md",
    "examples/**/*.md",
    "sdks/*/*.md",
    "deploy/**/*.md",
    "tests/**/*.md",
    "training/**/*.md",
  ]);
  expect(pages.length).toBeGreaterThan(100);
  expect(findDeadLinks(root, pages)).toEqual([]);
});

test("detects dead links, dead anchors, and absolute paths, and accepts valid links", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-links-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const one = {
    source: "one.md",
    markdown:
      "# One\n\n[a](two.md) [b](two.md#the-end) [c](#one) [d](https://example.org) [e](gone.md) [f](two.md#nowhere) ![g](/x.png)\n\n`[h](code.md)`\n",
  };
  const two = { source: "two.md", markdown: "# Two\n\n## The *end*\n" };
  for (const page of [one, two]) writeFileSync(join(folder, page.source), page.markdown);
  expect(findDeadLinks(folder, [one, two])).toEqual([
    "one.md: gone.md is not there",
    "one.md: two.md#nowhere has no such heading",
    "one.md: /x.png is absolute, which works on no other site",
  ]);
});

test("every error has a page, and every error page belongs to an error", () => {
  const names = (folder: string) =>
    globSync(`docs/errors/${folder}/*.md`, { cwd: root }).map((path) =>
      path.slice(path.lastIndexOf("/") + 1, -".md".length),
    );
  expect(names("codes").sort()).toEqual(gatewayCodes.toSorted());
  expect(names("reasons").sort()).toEqual(managementReasons.toSorted());
});

test("every docs path that the program prints leads to an existing page", () => {
  const sources = globSync("{apps,packages,sdks/typescript,training}/*/src/**/*.{ts,tsx}", { cwd: root }).filter(
    (path) => !/\.(?:test|fixture)\.tsx?$|generated/.test(path),
  );
  const named = sources.flatMap((source) => {
    // URLs on other sites can also contain a docs folder.
    const text = readFileSync(join(root, source), "utf8").replaceAll(/https?:\/\/[^\s"'`)]+/g, "");
    return [...text.matchAll(/\bdocs\/([a-z-]+\/[a-z0-9_/-]+)(?:\.md|\.html)?\b/g)].map(([, path = ""]) => ({
      source,
      path,
    }));
  });
  const isPage = (path: string) =>
    globSync([`docs/${path}.md`, `docs/${path}/*.md`, `docs/${path}`], { cwd: root }).length > 0;
  expect(named.filter(({ path }) => !path.startsWith("api/") && !isPage(path))).toEqual([]);
});
