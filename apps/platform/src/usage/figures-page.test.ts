import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HEALTH_STATES } from "@tollgate/domain/figures/deployment-health.ts";
import { KEY_STATES } from "@tollgate/domain/figures/key-state.ts";
import { RUNWAYS } from "@tollgate/domain/figures/project-burn.ts";
import { REQUEST_CLASSES } from "@tollgate/domain/figures/request-class.ts";
import { expect, test } from "vitest";
import { describeActivity } from "../litellm/describe-activity.ts";

const docs = join(import.meta.dirname, "../../../../docs");
const page = readFileSync(join(docs, "reference/figures.md"), "utf8");
const openApi = readFileSync(join(docs, "api/management.json"), "utf8");

/** Returns the rows of the table under a heading, without its head. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) => line.slice(2, -2).split(" | "));
}

const named = (text: string): readonly string[] => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);

test("the page of figures lists the classes of requests as the code has them", () => {
  expect(tableUnder("Requests").map(([name]) => name)).toEqual(REQUEST_CLASSES.map((name) => `\`${name}\``));
});

test("the page of figures names fields that the management API has, and every state", () => {
  const rows = tableUnder("All figures");
  const fields = rows.flatMap(([, , names = ""]) => named(names));
  expect(fields.length).toBeGreaterThan(15);
  expect(fields.filter((name) => !openApi.includes(`"${name}"`))).toEqual([]);
  const definitionOf = (figure: string) => rows.find(([name]) => name === figure)?.[1]?.toLowerCase() ?? "";
  expect(KEY_STATES.filter((state) => !definitionOf("Key state").includes(state.replace("_", " ")))).toEqual([]);
  expect(RUNWAYS.filter((runway) => !definitionOf("Runway").includes(runway))).toEqual([]);
  expect(HEALTH_STATES.filter((state) => !definitionOf("Health").includes(state))).toEqual([]);
});

test("LiteLLM's counts are the sums of classes that the page of figures says", () => {
  const counts = { succeeded: 1, failed: 2, refused: 4, rejected: 8, canceled: 16 };
  const day = {
    day: "2026-11-16",
    teamId: "",
    keyId: "",
    model: "fast",
    provider: "openai",
    requests: 31,
    errorRate: null,
  };
  const amounts = { cost: 0n, cacheSaved: 0n, cacheHitRate: null, cachedTokens: 0, reasoningTokens: 0 };
  const sums = { promptTokens: 0, completionTokens: 0, p50LatencyMs: null, p95LatencyMs: null, p99LatencyMs: null };
  const { metadata } = describeActivity(
    [{ ...day, ...counts, ...amounts, ...sums }],
    { keys: new Map(), teams: new Map() },
    { page: 1, pageSize: 1 },
  );
  const sumOf = (text: string) =>
    text === "Requests"
      ? 31
      : REQUEST_CLASSES.reduce((sum, name) => sum + (text.toLowerCase().includes(name) ? counts[name] : 0), 0);
  const said = tableUnder("Names of OpenAI and LiteLLM")
    .filter(([field = ""]) => field.includes("_requests"))
    .map(([field = "", figure = ""]) => [`total_${named(field)[0]}`, sumOf(figure)] as const);
  expect(said).toHaveLength(3);
  expect(metadata).toMatchObject(Object.fromEntries(said));
});
