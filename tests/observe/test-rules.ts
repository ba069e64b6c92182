import type { SpawnSyncReturns } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Report } from "../../packages/testkit/src/report.ts";
import { alertGroups } from "../../scripts/observability/alerts.ts";
import { type RuleCase, ruleCases } from "./rule-cases.ts";
import { RULES } from "./start-prometheus.ts";

const STEPS = ["30s", "10m"] as const;

/**
 * Tests every rule with synthetic series. The alert must fire when its condition has held for long enough, and not
 * otherwise.
 */
export async function testRules(
  report: Report,
  promtool: (...args: string[]) => SpawnSyncReturns<string>,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const paths = STEPS.map((step) => {
    const path = join(folder, `rules-${step}.test.yml`);
    const tests = ruleCases.filter((one) => one.step === step).map(writeTest);
    writeFileSync(path, stringify({ rule_files: [RULES], evaluation_interval: step, tests }));
    return path;
  });
  await report.check("observe", "promtool test rules", () => {
    const untried = alertGroups
      .flatMap(({ alerts }) => alerts)
      .filter(({ name }) => !isTried(name, true) || !isTried(name, false));
    if (untried.length > 0) throw new Error(`not tried both ways: ${untried.map(({ name }) => name).join(", ")}`);
    const { status, stdout, stderr } = promtool("test", "rules", ...paths);
    if (status !== 0) throw new Error(stdout + stderr);
  });
  report.figures.rule_cases = ruleCases.length;
}

function isTried(name: string, fires: boolean): boolean {
  return ruleCases.some((one) => one.alert === name && (one.fires !== null) === fires);
}

function writeTest({ alert: name, series, at, fires, step }: RuleCase): object {
  const alert = alertGroups.flatMap(({ alerts }) => alerts).find((one) => one.name === name);
  if (alert === undefined) throw new Error(`there is no alert ${name}`);
  const alerts =
    fires === null
      ? []
      : [
          {
            exp_labels: { severity: alert.severity, ...fires.labels },
            exp_annotations: annotationsOf(alert, fires.description),
          },
        ];
  return {
    interval: step,
    external_labels: { tollgate_docs: "https://tollgate.example.org/docs" },
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    alert_rule_test: [{ eval_time: at, alertname: name, exp_alerts: alerts }],
  };
}

function annotationsOf({ summary, page }: { readonly summary: string; readonly page: string }, description: string) {
  return { summary, description, runbook_url: `https://tollgate.example.org/docs/observe/runbooks/${page}.html` };
}
