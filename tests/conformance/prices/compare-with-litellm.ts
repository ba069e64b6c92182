import { execFile, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Report } from "@tollgate/testkit/report.ts";
import { litellmReasons } from "./litellm-reasons.ts";
import type { PriceCase } from "./price-case.ts";

/** LiteLLM's cost of each case in nano-USD, or its error. */
type LitellmCosts = Readonly<Record<string, number | string>>;

interface Recording {
  readonly version: string;
  readonly costs: LitellmCosts;
}

export interface LitellmSummary {
  readonly version: string;
  readonly equal: number;
  readonly different: number;
}

const RECORDING = join(import.meta.dirname, "litellm-costs.generated.json");
const PAGE = join(import.meta.dirname, "../../../docs/migrate/litellm-costs.md");
const SETUP = join(import.meta.dirname, "../../../scripts/oracle-setup");

export const titleOf = ({ provider, condition }: PriceCase): string => `${provider}: ${condition}`;

/** Sends the cases with LiteLLM to the scripted providers, and records its costs. */
export async function recordLitellm(
  cases: readonly PriceCase[],
  nameOf: (index: number) => string,
  origin: string,
): Promise<void> {
  const { stdout } = await promisify(execFile)(SETUP);
  const [programs = "", version = ""] = stdout.trim().split(" ");
  const job = { origin, cases: cases.map((one, index) => describe(one, nameOf(index))) };
  const child = spawn(join(programs, "python"), [join(import.meta.dirname, "litellm_costs.py")], {
    stdio: ["pipe", "pipe", "ignore"],
    env: {
      PATH: `${programs}:${process.env.PATH}`,
      // Use the bundled price table instead of downloading the current one.
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
      LITELLM_TELEMETRY: "False",
      LITELLM_LOG: "ERROR",
    },
  });
  child.stdin.end(JSON.stringify(job));
  const printed = await text(child.stdout);
  const costs = JSON.parse(printed.trim().split("\n").at(-1) ?? "") as LitellmCosts;
  const lines = Object.entries(costs).map(([title, cost]) => `${JSON.stringify(title)}:${JSON.stringify(cost)}`);
  await writeFile(RECORDING, `{"version":${JSON.stringify(version)},"costs":{\n${lines.join(",\n")}\n}}\n`);
}

/** Settings that decide the price, by LiteLLM's names. `price_rules` is not one of them. */
const isPrice = (name: string): boolean => name.includes("cost");

function describe(one: PriceCase, name: string): object {
  const { price_rules: _, ...params } = one.params;
  const entries = Object.entries(params);
  const served = (one.response as { readonly model?: unknown }).model;
  return {
    title: titleOf(one),
    served: typeof served === "string" ? [served] : [],
    name,
    model:
      one.pattern === undefined ? one.model : one.model.replace("*", one.pattern.model.split("-").slice(1).join("-")),
    path: one.path,
    request: one.request,
    prices: Object.fromEntries(entries.filter(([param]) => isPrice(param)).map(toLitellmPrice)),
    connection: Object.fromEntries(entries.filter(([param]) => !isPrice(param))),
  };
}

/**
 * Returns a price by LiteLLM's name. It has searches by the size of their context, file searches by the thousand, and
 * generated images as input.
 */
function toLitellmPrice([name, price]: readonly [string, unknown]): readonly [string, unknown] {
  if (name === "file_search_cost_per_call") return ["file_search_cost_per_1k_calls", Number(price) * 1_000];
  if (name === "output_cost_per_image") return ["input_cost_per_image", price];
  if (name !== "web_search_cost_per_query") return [name, price];
  const sizes = ["low", "medium", "high"].map((size) => [`search_context_size_${size}`, price]);
  return ["search_context_cost_per_query", Object.fromEntries(sizes)];
}

/** Compares the provider's charges with LiteLLM's recorded costs. A difference without a reason is a failure. */
export async function compareWithLitellm(
  cases: readonly PriceCase[],
  report: Report,
  writes: boolean,
): Promise<LitellmSummary> {
  const { version, costs } = JSON.parse(await readFile(RECORDING, "utf8")) as Recording;
  const rows: string[] = [];
  let equal = 0;
  for (const one of cases) {
    const title = titleOf(one);
    const theirs = costs[title];
    const isEqual = theirs === Number(one.nanoUsd);
    const reason = litellmReasons[title];
    if (isEqual) equal += 1;
    else
      rows.push(`| ${one.provider} | ${one.condition} | ${one.nanoUsd} | ${describeCost(theirs)} | ${reason ?? ""} |`);
    report.record("prices", `${title}: compared with LiteLLM`, problemOf(theirs, isEqual, reason));
  }
  await renewPage(pageOf(version, cases.length, equal, rows), writes, report);
  return { version, equal, different: cases.length - equal };
}

function problemOf(theirs: number | string | undefined, isEqual: boolean, reason: string | undefined): string | null {
  if (theirs === undefined) return "LiteLLM's cost is not recorded. Run with --oracle.";
  if (isEqual) return reason === undefined ? null : `There is no difference with this reason: ${reason}`;
  return reason === undefined ? `LiteLLM's cost is ${theirs}, and no reason is given.` : null;
}

function describeCost(cost: number | string | undefined): string {
  return typeof cost === "number" ? `${cost}` : "Fails";
}

function pageOf(version: string, cases: number, equal: number, rows: readonly string[]): string {
  return `# Cost differences from LiteLLM

Look up where Tollgate charges a request differently than LiteLLM ${version} computes its cost. Both sent the same ${cases} requests to the same scripted providers, with the same prices or those of their own price lists. In ${equal} cases, both have the same cost. This page is generated by \`bin/pnpm conformance --only prices --write\`; do not edit it.

Costs are in nano-USD.

| Provider | Condition or tool | Tollgate | LiteLLM | Reason |
|---|---|---|---|---|
${rows.join("\n")}

## Next

[Custom prices](../guides/custom-prices.md) · [differences in responses](litellm-differences.md) · [migrate from LiteLLM](litellm.md)
`;
}

async function renewPage(page: string, writes: boolean, report: Report): Promise<void> {
  if (writes) return writeFile(PAGE, page);
  const isSame = (await readFile(PAGE, "utf8").catch(() => "")) === page;
  const problem = "The page is outdated. Run bin/pnpm conformance --only prices --write and review the changes.";
  report.record("prices", "docs/migrate/litellm-costs.md is up to date", isSame ? null : problem);
}
