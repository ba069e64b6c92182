import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Report } from "../../packages/testkit/src/report.ts";
import { checkFigures } from "./check-figures.ts";
import { type Instance, startInstance } from "./instance.ts";
import { provokeAlerts } from "./provoke-alerts.ts";
import { installAsShipped, RULES, startPrometheus, writeConfiguration } from "./start-prometheus.ts";
import { testRules } from "./test-rules.ts";
import { addCallers, type Callers, callEverything, settingsFor, startFarSide } from "./traffic.ts";

// Tests dashboards and alert rules with a real Prometheus: promtool validates and tests the rules, then Prometheus
// scrapes a running instance under light traffic. Every expression must return data, and some alerts must fire. With
// `--json`, the output ends with one line of figures. `--quick` runs the same checks.

const root = join(import.meta.dirname, "../..");
const isJson = process.argv.includes("--json");
const report = new Report();
const scratch = mkdtempSync(join(tmpdir(), "tollgate-observe-"));

async function main(): Promise<void> {
  // Start the instance while Prometheus is being installed, because both take a while.
  const far = await startFarSide();
  const starting = startInstance(join(scratch, "instance"), settingsFor(far), far.collector.origin);
  const programs = installPrometheus();
  const promtool = (...args: string[]) => spawnSync(join(programs, "promtool"), args, { encoding: "utf8" });
  await report.check("observe", "promtool check rules", () => mustPass(promtool("check", "rules", RULES)));
  await report.check("observe", "promtool check config", () =>
    mustPass(promtool("check", "config", installAsShipped(join(scratch, "shipped")))),
  );
  await testRules(report, promtool, join(scratch, "tests"));
  const instance = await starting;
  try {
    await watch(programs, instance);
  } finally {
    await instance.stop();
    await far.close();
  }
}

async function watch(programs: string, instance: Instance): Promise<void> {
  const folder = join(scratch, "prometheus");
  const callers = await addCallers(instance.url, instance.apiKey, instance.masterKey);
  const config = writeConfiguration(folder, instance.target, callers.scraper);
  const prometheus = await startPrometheus(programs, folder, config);
  const traffic = keepCalling(instance.url, callers);
  try {
    await instance.prove();
    await provokeAlerts(report, prometheus, instance, traffic.callBroken);
    await checkFigures(report, prometheus);
  } finally {
    await traffic.stop();
    await prometheus.stop();
  }
}

/** Makes calls of every kind several times per second, so that rate panels have data. */
function keepCalling(url: string, callers: Callers): { callBroken(): void; stop(): Promise<void> } {
  let isOver = false;
  let withBroken = false;
  const running = (async () => {
    while (!isOver) {
      await callEverything(url, callers, withBroken);
      await pause(400);
    }
  })();
  return {
    callBroken: () => {
      withBroken = true;
    },
    stop: () => {
      isOver = true;
      return running;
    },
  };
}

function installPrometheus(): string {
  const { status, stdout, stderr } = spawnSync(join(root, "scripts/prometheus-setup"), { encoding: "utf8" });
  if (status !== 0) throw new Error(`scripts/prometheus-setup failed: ${stderr}`);
  return stdout.trim();
}

function mustPass({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): void {
  if (status !== 0) throw new Error(stdout + stderr);
}

// On a signal, exit handlers stop everything that was started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));
try {
  await main();
} catch (error) {
  report.record("observe", "the run ends", String(error));
}
const { passed, failed, figures, seconds } = report;
process.exitCode = report.close(isJson ? { passed, failed, ...figures, seconds } : null);
