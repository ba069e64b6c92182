import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startBareJson } from "./contestants/bare-json.ts";
import { startBareSse } from "./contestants/bare-sse.ts";
import type { Contestant } from "./contestants/contestant.ts";
import { startNginx } from "./contestants/nginx.ts";
import { startPortkey } from "./contestants/portkey.ts";
import { startTollgate, startTollgateWith } from "./contestants/tollgate.ts";
import { startGenerator } from "./load/start-generator.ts";
import { measureSyncMs } from "./measure/measure-sync.ts";
import { modelReport } from "./model/model-report.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { peersReport } from "./peers/peers-report.ts";
import { undoEverything } from "./processes/clean-up.ts";
import { profileContestant } from "./profile/profile-contestant.ts";
import type { BenchRun } from "./report/bench-run.ts";
import { printTables } from "./report/print-tables.ts";
import { clearProgress, showProgress } from "./report/progress.ts";
import { toResult } from "./report/to-result.ts";
import { type AgainstFigures, measureAgainst } from "./sections/measure-against.ts";
import { type HeldRow, measureHeld } from "./sections/measure-held.ts";
import { measureHolds } from "./sections/measure-holds.ts";
import { type LatencyRow, measureLatency } from "./sections/measure-latency.ts";
import { runSlices, type SliceRow } from "./sections/run-slices.ts";
import { bringOn, bringOnIfPossible, type Stage } from "./sections/stage.ts";
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
  if (options.profileFile !== null) return profileTollgate(stage, options.profileFile.replace(/\.cpuprofile$/, ""));

  if (options.against !== null) return compareCheckouts(stage, options);

  if (options.purpose === "peers") return toOutput(await peersReport(stage, startedAt), options);

  if (options.purpose === "tls") return toOutput(await tlsReport(stage, startedAt), options);
  if (options.purpose === "model") return toOutput(await modelReport(stage, startedAt), options);

  const has = (section: BenchOptions["sections"][number]) => options.sections.includes(section);
  const json = has("json") ? await measureJson(stage) : { slices: [], latency: [] };
  const run: BenchRun = {
    startedAt,
    rounds: options.rounds,
    syncMs: measureSyncMs(directory),
    json: json.slices,
    latency: json.latency,
    sse: has("sse") ? await measureSse(stage) : [],
    held: has("held") ? await measureBothHeld(stage) : [],
    holds: has("holds") && !stage.absent.has("tollgate") ? await measureHolds(stage) : null,
    versions: stage.versions,
    absent: stage.absent,
    elapsedSeconds: performance.now() / 1000,
  };
  const tables = printTables(run);
  return options.printsJson ? `${tables}\n\n${JSON.stringify(toResult(run))}` : tables;
}

async function measureJson(stage: Stage): Promise<{ slices: SliceRow[]; latency: LatencyRow[] }> {
  const bare = await bringOn(stage, startBareJson);
  const tollgate = await bringOnTollgate(stage);
  const nginx = await bringOnIfPossible(stage, "nginx", startNginx);
  const portkey = await bringOnIfPossible(stage, "portkey", startPortkey);
  const slices = await runSlices(stage, "json", bare, present(tollgate, nginx, portkey));
  const latency = await measureLatency(stage, present(bare, tollgate));
  await stopAll(present(bare, tollgate, nginx, portkey));
  return { slices, latency };
}

async function measureSse(stage: Stage): Promise<SliceRow[]> {
  const bare = await bringOn(stage, startBareSse);
  const tollgate = await bringOnTollgate(stage);
  const portkey = await bringOnIfPossible(stage, "portkey", startPortkey);
  const slices = await runSlices(stage, "sse", bare, present(tollgate, portkey));
  await stopAll(present(bare, tollgate, portkey));
  return slices;
}

async function measureBothHeld(stage: Stage): Promise<HeldRow[]> {
  const bare = await measureHeld(stage, startBareSse);
  return stage.absent.has("tollgate") ? [bare] : [bare, await measureHeld(stage, startTollgate)];
}

async function compareCheckouts(stage: Stage, { against, sections }: BenchOptions): Promise<string> {
  const figures: Record<string, AgainstFigures> = {};
  for (const kind of (["json", "sse"] as const).filter((name) => sections.includes(name))) {
    figures[kind] = await measureAgainst(stage, kind, against as string);
  }
  return JSON.stringify({ against: figures, rounds: stage.rounds });
}

async function profileTollgate(stage: Stage, file: string): Promise<string> {
  const json = await profileContestant(stage, "json", startTollgateWith, `${file}-json.cpuprofile`);
  const sse = await profileContestant(stage, "sse", startTollgateWith, `${file}-sse.cpuprofile`);
  return `${json}\n\n${sse}`;
}

/** Starts Tollgate unless an option excludes it. A failed start fails the run. */
async function bringOnTollgate(stage: Stage): Promise<Contestant | null> {
  return stage.absent.has("tollgate") ? null : bringOn(stage, startTollgate);
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

function present(...contestants: (Contestant | null)[]): Contestant[] {
  return contestants.filter((contestant) => contestant !== null);
}

async function stopAll(contestants: readonly Contestant[]): Promise<void> {
  await Promise.all(contestants.map((contestant) => contestant.stop()));
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
