import { parseArgs } from "node:util";
import { applyEdits, editTexts } from "./apply-edits.ts";
import { type Revert, reverts } from "./reverts.ts";
import { type RunResult, runReverted } from "./run-reverted.ts";
import { makeWorkingCopy, type WorkingCopy } from "./working-copy.ts";

const USAGE = `Take one fix back at a time and run the cases that guard it. Each of them must then fail.

  pnpm see-it-fail                 every revert
  pnpm see-it-fail --only NAMES    only these reverts, separated by commas

  --list          print the reverts, their cases, and their effect
  --seed N        repeat the calls of an earlier run
  --json          print the result as one JSON object on the last line

The reverts are applied to a temporary copy of the last commit. Uncommitted changes are not part of it.
`;

interface Options {
  readonly reverts: readonly Revert[];
  readonly seed: number;
  readonly isJson: boolean;
}

/** A revert and the results of its cases. */
interface Report extends RunResult {
  readonly name: string;
  readonly cases: readonly string[];
  readonly seconds: number;
}

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === "string") {
    console.log(options);
    return 0;
  }
  const copy = await makeWorkingCopy();
  console.log(`see-it-fail: commit ${copy.commit}, seed ${options.seed}, ${options.reverts.length} reverts`);
  // Detect a stale revert early, before the reverts start to run.
  for (const revert of options.reverts) editTexts(copy.folder, revert);
  const reports: Report[] = [];
  for (const revert of options.reverts) {
    const report = await tryRevert(copy, revert, options.seed);
    reports.push(report);
    console.log(describeReport(report));
  }
  const failed = reports.filter(({ problem }) => problem !== null).length;
  console.log(`${reports.length - failed} passed, ${failed} failed`);
  if (options.isJson) {
    const { commit } = copy;
    const results = reports.map(toResult);
    console.log(
      JSON.stringify({ passed: reports.length - failed, failed, seed: options.seed, commit, reverts: results }),
    );
  }
  return failed === 0 ? 0 : 1;
}

/** Parses the command line. Returns a string to print for the user, such as the help text. */
function readOptions(): Options | string {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      seed: { type: "string" },
      list: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return USAGE;
  if (values.list) return reverts.map(describeRevert).join("\n");
  const names = values.only?.split(",").map((name) => name.trim()) ?? reverts.map(({ name }) => name);
  const unknown = names.filter((name) => !reverts.some((each) => each.name === name));
  if (unknown.length > 0) throw new Error(`no such revert: ${unknown.join(", ")}`);
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`not a seed: ${values.seed}`);
  return { reverts: reverts.filter(({ name }) => names.includes(name)), seed, isJson: values.json };
}

async function tryRevert(copy: WorkingCopy, revert: Revert, seed: number): Promise<Report> {
  const { name, cases } = revert;
  const startedAtMs = performance.now();
  const restore = applyEdits(copy.folder, revert);
  try {
    const result = await runReverted(copy, cases, seed);
    return { name, cases, ...result, seconds: Math.round((performance.now() - startedAtMs) / 1_000) };
  } finally {
    restore();
  }
}

const describeRevert = ({ name, cases, effect }: Revert): string =>
  `${name.padEnd(26)} ${cases.join(",").padEnd(40)} ${effect}`;

/** Describes a revert in one line, followed by how its cases failed or why the result does not count. */
function describeReport({ name, problem, summary, seconds }: Report): string {
  const figures =
    summary === null
      ? "no result"
      : `billed ${summary.providerBilledNano}, charged ${summary.chargedNano}, loss ${summary.operatorLossNano}, ` +
        `unpaid ${summary.unpaidNano}, overcharged ${summary.overchargedNano}`;
  return [
    `  ${name.padEnd(26)} ${problem === null ? "ok    " : "FAILED"} ${figures} (${seconds} s)`,
    ...(problem === null ? [] : [`      ${problem}`]),
    ...(summary?.failures ?? []).map((failure) => `      ${failure.name}: ${failure.problem}`),
  ].join("\n");
}

/** Returns a report for the JSON output, without the individual calls. */
function toResult({ name, cases, seconds, problem, summary }: Report) {
  return {
    name,
    cases,
    seconds,
    problem,
    providerBilledNano: summary?.providerBilledNano ?? null,
    chargedNano: summary?.chargedNano ?? null,
    operatorLossNano: summary?.operatorLossNano ?? null,
    unpaidNano: summary?.unpaidNano ?? null,
    overchargedNano: summary?.overchargedNano ?? null,
    failures: summary?.failures ?? [],
  };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
// Exit explicitly, because exit handlers stop everything that this process started.
process.exit();
