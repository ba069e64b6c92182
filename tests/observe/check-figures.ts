import { setTimeout as pause } from "node:timers/promises";
import type { Report } from "../../packages/testkit/src/report.ts";
import { alertGroups } from "../../scripts/observability/alerts.ts";
import { dashboards } from "../../scripts/observability/dashboards.ts";
import { metricRegistry } from "../../scripts/observability/metric-registry.ts";
import { hasReasonToBeEmpty, mayBeEmpty } from "./may-be-empty.ts";
import type { RunningPrometheus } from "./start-prometheus.ts";

/**
 * Time limit for every panel to have data, also on a slow machine. Rates need two scrapes, and ratios of rates need calls
 * between them.
 */
const LIMIT_MS = 120_000;

/** Returns every dashboard query, as Grafana would send it. */
export function dashboardQueries(): readonly { readonly where: string; readonly expression: string }[] {
  return dashboards.flatMap(({ title, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap((panel) =>
        panel.queries.map(({ expression }) => ({ where: `${title}: ${panel.title}`, expression: resolve(expression) })),
      ),
    ),
  );
}

/** Replaces Grafana's variables with their values. */
function resolve(expression: string): string {
  return expression.replaceAll("$__rate_interval", "1m").replaceAll(/\$(team|model)\b/g, ".*");
}

/** Runs every query in the dashboards and alerts. */
export async function checkFigures(report: Report, prometheus: RunningPrometheus): Promise<void> {
  const queries = dashboardQueries();
  let withFigures = 0;
  await report.check("observe", "every panel has figures", async () => {
    const empty = await waitForNone(async () => {
      const answers = await Promise.all(
        queries.map(async (query) => ({ ...query, has: await hasFigures(prometheus, query.expression) })),
      );
      withFigures = answers.filter(({ has }) => has).length;
      return answers.filter(({ has, expression }) => !has && !hasReasonToBeEmpty(expression));
    });
    if (empty.length > 0)
      throw new Error(empty.map(({ where, expression }) => `${where}: ${expression}`).join("\n    "));
  });
  report.figures.panel_queries = queries.length;
  report.figures.with_figures = withFigures;
  const alerts = alertGroups.flatMap((group) => group.alerts);
  await report.check("observe", "every alert looks at something that is there", async () => {
    const present = new Set(
      (await prometheus.query("count by (__name__) ({__name__=~'.+'})")).map(({ metric }) => metric.__name__),
    );
    const blind = alerts.flatMap(({ name, expression }) =>
      namesIn(expression)
        .filter((metric) => !present.has(metric) && !(metric in mayBeEmpty))
        .map((metric) => `${name}: ${metric}`),
    );
    for (const { expression } of alerts) await prometheus.query(expression);
    if (blind.length > 0) throw new Error(blind.join("\n    "));
  });
  report.figures.alerts = alerts.length;
}

async function waitForNone<T>(find: () => Promise<readonly T[]>): Promise<readonly T[]> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const found = await find();
    if (found.length === 0 || performance.now() > deadline) return found;
    await pause(500);
  }
}

/** Reports whether the query returns a number. Without traffic, a ratio returns no number. */
async function hasFigures(prometheus: RunningPrometheus, expression: string): Promise<boolean> {
  return (await prometheus.query(expression)).some(({ value: [, value] }) => value !== "NaN");
}

function namesIn(expression: string): readonly string[] {
  return (expression.match(/[a-zA-Z_:][\w:]*/g) ?? []).filter((word) => metricRegistry.has(word));
}
