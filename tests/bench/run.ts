import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTollgateWith } from "./contestants/tollgate.ts";
import { startGenerator } from "./load/start-generator.ts";
import { measureSyncMs } from "./measure/measure-sync.ts";
import { modelReport } from "./model/model-report.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { peersReport } from "./peers/peers-report.ts";
import { undoEverything } from "./processes/clean-up.ts";
import { profileContestant } from "./profile/profile-contestant.ts";
import type { BenchRun } from "./report/bench-run.ts";
import { loadReport } from "./report/load-report.ts";
import { printTables } from "./report/print-tables.ts";
import { clearProgress, showProgress } from "./report/progress.ts";
import { toResult } from "./report/to-result.ts";
import { type AgainstFigures, measureAgainst } from "./sections/measure-against.ts";
import { runSections } from "./sections/run-sections.ts";
import type { Stage } from "./sections/stage.ts";
import { warmUpCalls } from "./sections/warm-up.ts";
import { tlsReport } from "./tls/tls-report.ts";
import { startUpstream } from "./upstream/start-upstream.ts";

// Measures Tollgate against a bare proxy, nginx, and Portkey in one interleaved run and prints ratios with ranges.

/** Runs the requested sections and returns the output. */
async function bench(options: BenchOptions, directory: string): Promise<string> {
  const startedAt = new Date().toISOString();
  const stage: Stage = {
    upstream: await startUpstream(directory),
    generator: startGenerator(directory),
    directory,
    isQuick: options.isQuick,
    rounds: options.rounds,
    showProgress,
    absent: new Map(options.without.map((name) => [name, "left out by --without"])),
    versions: new Map(),
  };
  if (options.profileFile !== null) {
    return profileTollgate(stage, options.profileFile.replace(/\.cpuprofile$/, ""), options);
  }

  if (options.against !== null) return compareCheckouts(stage, options);

  if (options.purpose === "peers") return toOutput(await peersReport(stage, startedAt), options);

  if (options.purpose === "tls") return toOutput(await tlsReport(stage, startedAt), options);
  if (options.purpose === "load") return toOutput(await loadReport(stage, startedAt, options.rates), options);
  if (options.purpose === "model") return toOutput(await modelReport(stage, startedAt), options);

  const rows = await runSections(stage, options.sections);
  const run: BenchRun = {
    startedAt,
    rounds: options.rounds,
    warmUpCalls: warmUpCalls(options.isQuick),
    syncMs: measureSyncMs(directory),
    ...rows,
    versions: stage.versions,
    absent: stage.absent,
    elapsedSeconds: performance.now() / 1000,
  };
  const tables = printTables(run);
  return options.printsJson ? `${tables}\n\n${JSON.stringify(toResult(run))}` : tables;
}

async function compareCheckouts(stage: Stage, { against, sections }: BenchOptions): Promise<string> {
  const figures: Record<string, AgainstFigures> = {};
  for (const kind of (["json", "sse"] as const).filter((name) => sections.includes(name))) {
    figures[kind] = await measureAgainst(stage, kind, against as string);
  }
  return JSON.stringify({ against: figures, rounds: stage.rounds });
}

async function profileTollgate(stage: Stage, prefix: string, { sections }: BenchOptions): Promise<string> {
  const texts: string[] = [];
  for (const kind of (["json", "sse"] as const).filter((name) => sections.includes(name))) {
    texts.push(await profileContestant(stage, kind, startTollgateWith, `${prefix}-${kind}`));
  }
  return texts.join("\n\n");
}

interface Report {
  readonly text: string;
  readonly data: object;
}

/** Formats the report as text, and writes its raw figures if requested. */
function toOutput({ text, data }: Report, { printsJson, outFile }: BenchOptions): string {
  if (outFile !== null) writeFileSync(outFile, `${JSON.stringify(data, null, 2)}\n`);
  return printsJson ? `${text}\n\n${JSON.stringify(data)}` : text;
}

async function main(): Promise<number> {
  let options: BenchOptions;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`bench: ${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
  const directory = makeDirectory();
  const cleanUp = async () => {
    clearProgress();
    await undoEverything();
    rmSync(directory, { recursive: true, force: true });
  };
  let isInterrupted = false;
  // The terminal and pnpm may both send the signal. The second signal must not interrupt the cleanup.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      isInterrupted = true;
      cleanUp().finally(() => process.exit(130));
    });
  }
  try {
    const text = await bench(options, directory);
    clearProgress();
    console.log(text);
    return 0;
  } catch (error) {
    clearProgress();
    if (!isInterrupted) console.error(`bench: ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    await cleanUp();
  }
}

/** Creates a folder on the repository's disk: a temporary folder may be in memory, where a sync costs nothing. */
function makeDirectory(): string {
  const cache = join(import.meta.dirname, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, "run-"));
}

process.exitCode = await main();
