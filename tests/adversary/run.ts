import { within } from "@tollgate/testkit/processes/program.ts";
import { Report } from "@tollgate/testkit/report.ts";
import { endStage } from "../chaos/cells/end-cell.ts";
import { checkLossAccount } from "./books/losses.ts";
import type { Case } from "./case.ts";
import { cases } from "./cases.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { recordCase, recordTamper, summarize, sumUp } from "./report.ts";
import { type CaseReport, runCase } from "./run-case.ts";
import { type AdversaryStage, startAdversaryStage } from "./stage/stage.ts";
import { runTamperCases, type TamperReport } from "./tamper/run-tamper-cases.ts";
import { tamperCases } from "./tamper/tamper-cases.ts";

const STAGE_LIMIT_MS = 180_000;
/**
 * Number of cases that run in parallel. Cases that share the stage mostly wait for the upstream's pauses and for
 * settlement.
 */
const LANES = 4;
const MAX_LOSS_PERCENT = 1n;
/** The default admission policy, which the stage's settings don't change. */
const ADMISSION = { policy: "strict", overdraft: 0n } as const;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), cases, tamperCases);
  if (options === "help") {
    console.log(USAGE);
    return 0;
  }
  if (options === "list") {
    const tampers = tamperCases.map(({ what, ...each }) => ({ ...each, promise: `${each.rule} notices ${what}` }));
    for (const { name, promise, isQuick } of [...cases, ...tampers])
      console.log(`${name.padEnd(28)} ${isQuick === true ? "quick" : "     "} ${promise}`);
    return 0;
  }
  const startedAtMs = performance.now();
  const elapsed = () => ((performance.now() - startedAtMs) / 1_000).toFixed(0);
  console.log(`adversary: seed ${options.seed}, ${options.cases.length + options.tamperCases.length} cases`);
  const report = new Report();
  // Before the stage starts, because copies of a database would slow down the cases whose pauses matter.
  const tampers = options.tamperCases.length > 0 ? await tamper(options, report) : [];
  const attacks = options.cases.length > 0 || tampers.length === 0 ? await attack(options, report, elapsed) : [];
  const summary = summarize(attacks, tampers, options.seed);
  const { providerBilledNano, chargedNano, unpaidNano, overchargedNano, operatorLossNano, failed } = summary;
  console.log(
    `${summary.cases} cases, ${failed} failed, billed ${providerBilledNano}, charged ${chargedNano}, unpaid ${unpaidNano}, ` +
      `overcharged ${overchargedNano}, operator loss ${operatorLossNano} nano-USD (${elapsed()} s). Repeat: --seed ${options.seed}`,
  );
  if (summary.tamperCases > 0) console.log(`${summary.tamperNoticed} of ${summary.tamperCases} tamperings noticed`);
  report.close(options.isJson ? summary : null);
  return failed === 0 ? 0 : 1;
}

function tamper({ tamperCases: chosen, isKept, seed }: Options, report: Report): Promise<readonly TamperReport[]> {
  return runTamperCases({ cases: chosen, isKept, seed }, (ended) => recordTamper(report, ended));
}

/** Runs the cases on a stage, and verifies the stage's ledger at the end. */
async function attack(options: Options, report: Report, elapsed: () => string): Promise<readonly CaseReport[]> {
  const stage = await within(STAGE_LIMIT_MS, startAdversaryStage(options.isKept));
  console.log(`  the stage is ready in ${stage.folder} (${elapsed()} s)`);
  const reports = await runCases(stage, options, report);
  const verified = await verify(stage, reports, options.isSelection);
  recordCase(report, verified);
  await within(STAGE_LIMIT_MS, stage.stop()).catch((error: unknown) => console.error(error));
  return [...reports, verified];
}

/** Runs the cases that share the stage in parallel, then the cases that break the stage, one by one. */
async function runCases(stage: AdversaryStage, options: Options, report: Report): Promise<CaseReport[]> {
  const { seed, isQuick } = options;
  const reports: CaseReport[] = [];
  const runOne = async (each: Case) => {
    const ended = await runCase(each, cases.indexOf(each), stage, { seed, isQuick });
    reports.push(ended);
    recordCase(report, ended);
  };
  const waiting = options.cases.filter(({ isAlone }) => isAlone !== true);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await runOne(next);
  };
  await Promise.all(Array.from({ length: LANES }, work));
  for (const each of options.cases.filter(({ isAlone }) => isAlone === true)) await runOne(each);
  return reports;
}

/** Checks at the end that the gateways stop, the ledger is consistent, and the losses are recorded and small. */
async function verify(
  stage: AdversaryStage,
  reports: readonly CaseReport[],
  isSelection: boolean,
): Promise<CaseReport> {
  const startedAtMs = performance.now();
  const problems: string[] = [];
  let isCrash = false;
  try {
    problems.push(...(await endStage(stage, ADMISSION)).problems);
    problems.push(...(await checkLossAccount(stage.ledger)));
  } catch (error) {
    isCrash = true;
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  if (stage.hostile.strays > 0) problems.push(`${stage.hostile.strays} upstream requests name no call`);
  const { billed, loss } = sumUp(reports.flatMap(({ judgments }) => judgments));
  // If only a few cases are selected, their entire cost can be a loss.
  if (!isSelection && loss * 100n > billed * MAX_LOSS_PERCENT) problems.push(`the operator lost ${loss} of ${billed}`);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { name: "ledger-verify", seconds, judgments: [], problems, isCrash, figures: {}, skipped: null };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
}
// Exit explicitly, because exit handlers stop everything that this process started.
process.exit();
