import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { findWarnings } from "./find-warnings.ts";
import { makeFigures } from "./make-figures.ts";
import { metricsCsv } from "./metrics-csv.ts";
import { reportPage } from "./report-page.ts";
import { makeHistory } from "./run-history.fixture.ts";
import { terminalChart } from "./terminal-chart.ts";
import { writeReport } from "./write-report.ts";

const folder = mkdtempSync(join(tmpdir(), "report-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const killed = makeHistory({
  rounds: 5,
  participants: ["p1", "p2", "p3"],
  failures: [{ round: 3, id: "p2", reason: "ended by SIGKILL" }],
});

test("a report is one file, with a chart for each metric and a data table for each chart", () => {
  const { report, metrics, charts } = writeReport(folder, killed);
  const names = ["accuracy", "loss", "durations", "stragglers", "weight-share", "update-norms"];
  expect(charts).toEqual(names.map((name) => join(folder, `${name}.svg`)));
  const html = readFileSync(report, "utf8");
  expect(html.match(/<svg xmlns/g)).toHaveLength(6);
  expect(html.match(/<summary>Data table<\/summary>/g)).toHaveLength(6);
  expect(/(?:src|href)="(?!#)|<script|<link|@import|url\(/.test(html)).toBe(false);
  expect(html.includes("p2 failed in 1 round, most recently in round 3: ended by SIGKILL")).toBe(true);
  expect(existsSync(metrics)).toBe(true);
});

test("a report's policy allows only its own style, by hash", () => {
  const html = reportPage(killed);
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] as string;
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
  expect(policy).toBe(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
  // The content security policy would block inline styles.
  expect(html.includes(' style="')).toBe(false);
});

test("every chart is a complete XML document, with colors for light and dark mode", () => {
  writeReport(folder, killed);
  for (const { id } of makeFigures(killed)) {
    const svg = readFileSync(join(folder, `${id}.svg`), "utf8");
    expect(findUnbalancedTag(svg), id).toBeNull();
    expect(svg).toContain("prefers-color-scheme:dark");
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test("no name, reason, or metric is interpreted as markup", () => {
  const words = fc.string({
    unit: fc.constantFrom(..."<>&\"'/= abcscriptonerror\u0000\u001b[\n"),
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(words, words, words, (name, id, reason) => {
      const history = makeHistory({ rounds: 2, participants: [id, "other"], failures: [{ round: 2, id, reason }] });
      const html = reportPage({ ...history, name, run: name, method: name });
      expect(findUnbalancedTag(html.replace(/<!doctype html>|<meta [^>]*>/g, ""))).toBeNull();
      const tags = new Set([...html.matchAll(/<([a-z]+)/g)].map((match) => match[1]));
      expect([...tags].filter((tag) => !KNOWN_TAGS.includes(tag as string))).toEqual([]);
      expect(/<[^>]*\s(?:on[a-z]+|style)=/.test(html.replace(/"[^"]*"/g, '""'))).toBe(false);
    }),
    { numRuns: 40 },
  );
});

test("the report for 500 rounds and 100 participants stays small enough to load", () => {
  const history = makeHistory({ rounds: 500, participants: Array.from({ length: 100 }, (_, index) => `h${index}`) });
  const html = reportPage(history);
  expect(html.length).toBeLessThan(6_000_000);
  expect(html.includes("Not shown: 440 earlier rounds")).toBe(true);
});

test("a run without evaluations or without a completed round still has a report", () => {
  const history = makeHistory({ rounds: 1, participants: ["p1"] });
  const silent = { ...history, rounds: history.rounds.map((round) => ({ ...round, accuracy: null, metrics: {} })) };
  expect(makeFigures(silent).map(({ id }) => id)).not.toContain("accuracy");
  expect(reportPage({ ...history, rounds: [], best: null, final: null }).includes("0 of 1")).toBe(true);
  expect(terminalChart(silent)).toContain("No rounds have been evaluated yet");
});

test("the report highlights rejected rounds, quarantine, stragglers, and coordinator warnings", () => {
  const history = makeHistory({ rounds: 4, participants: ["a", "b"] });
  const rounds = history.rounds.map((round, index) => ({
    ...round,
    state: index === 1 ? ("rejected" as const) : round.state,
    warnings: index < 2 ? ["Share capped at 50 %: a."] : [],
    participants: round.participants.map((own) => ({
      ...own,
      train: own.train && { ...own.train, durationMs: own.id === "b" ? 5_000 : 1_000 },
    })),
  }));
  const participants = history.participants.map((one) => ({ ...one, quarantined: one.id === "b" }));
  const warnings = findWarnings({ ...history, rounds, participants });
  expect(warnings).toEqual([
    "b is quarantined: it failed three rounds in a row and is retried every five rounds.",
    "The gate rejected 1 round (2) and kept the previous parameters.",
    "b takes at least 5 times as long as any other participant.",
    "Share capped at 50 %: a. (rounds 1, 2)",
  ]);
});

test("metrics.csv has every figure for every round, and no cell that a spreadsheet would execute", () => {
  const history = makeHistory({
    rounds: 2,
    participants: ["p1", "=HYPERLINK(1)"],
    failures: [{ round: 2, id: "p1", reason: 'ValueError: "a", b' }],
  });
  const lines = metricsCsv(history).trimEnd().split("\n");
  expect(lines).toHaveLength(1 + 2 * 3);
  expect(lines[0]).toMatch(/^round,participant,state,.*,failure,evaluate_loss$/);
  expect(lines[3]).toMatch(/^1,'=HYPERLINK\(1\),evaluated,1560,/);
  expect(lines[5]).toMatch(/^2,p1,failed,.*"ValueError: ""a"", b"/);
});

test("the terminal chart rises with the accuracy and labels the first and last round", () => {
  const lines = terminalChart(makeHistory({ rounds: 8, participants: ["p1", "p2", "p3"] }))
    .split("\n")
    .slice(1);
  const height = (round: number) => lines.findIndex((line) => line[14 + 3 * (round - 1)] === "●");
  expect(height(8)).toBeLessThan(height(4));
  expect(height(4)).toBeLessThan(height(1));
  expect(lines.at(-2)).toMatch(/^ {14}1 +8 {3}round$/);
});

const KNOWN_TAGS = [
  ..."html head meta title style body a header main footer section h h1 h2 span div dl dt dd ul li p".split(" "),
  ..."figure figcaption details summary table thead tbody tr th td svg g line path rect circle text".split(" "),
];

/** Returns the first unbalanced tag; null if the text is well-formed. */
function findUnbalancedTag(text: string): string | null {
  const open: string[] = [];
  for (const [whole, slash, name, , isEmpty] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:[^<>"]|"[^"<]*")*?)(\/?)>/g)) {
    if (isEmpty === "/") continue;
    if (slash === "") open.push(name as string);
    else if (open.pop() !== name) return whole;
  }
  return open.at(-1) ?? null;
}
