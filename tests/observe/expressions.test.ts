import { expect, test } from "vitest";
import { alertGroups } from "../../scripts/observability/alerts.ts";
import { checkExpression } from "../../scripts/observability/check-expression.ts";
import { dashboards } from "../../scripts/observability/dashboards.ts";
import { metricRegistry } from "../../scripts/observability/metric-registry.ts";
import { dashboardQueries } from "./check-figures.ts";
import { mayBeEmpty } from "./may-be-empty.ts";

const alerts = alertGroups.flatMap((group) => group.alerts);

test("every panel and alert uses existing metrics and labels", () => {
  const asked = [...dashboardQueries(), ...alerts.map(({ name, expression }) => ({ where: name, expression }))];
  // If the list were empty, every check would pass.
  expect(asked.length).toBeGreaterThan(100);
  const wrong = asked.flatMap(({ where, expression }) =>
    checkExpression(expression).map((problem) => `${where}: ${problem}`),
  );
  expect(wrong).toEqual([]);
});

test("detects an expression with an unknown metric or label", () => {
  const problemsOf = (expression: string) => checkExpression(expression).join("; ");
  expect(problemsOf("sum(rate(gw_request_metric_total[5m]))")).toBe("there is no metric gw_request_metric_total");
  expect(problemsOf('gw_requests_metric_total{mode="x"}')).toBe("gw_requests_metric_total has no label mode");
  expect(problemsOf('gw_requests_metric_total{model=~"a", taem!="b"}')).toBe(
    "gw_requests_metric_total has no label taem",
  );
  expect(problemsOf("sum by (provider) (gw_requests_metric_total)")).toBe("no metric of it has the label provider");
  expect(problemsOf("gw_overhead_latency_metric")).toBe("there is no metric gw_overhead_latency_metric");
  expect(problemsOf("rate(gw_in_flight_requests[5m])")).toContain("is a gauge");
  expect(problemsOf("deriv(gw_retries_total[5m])")).toContain("counts up");
  expect(problemsOf("1 + 1")).toBe("it names no metric");
  expect(
    problemsOf('histogram_quantile(0.9, sum by (le) (rate(gw_overhead_latency_metric_bucket{team="{x}"}[5m]))) > 1'),
  ).toBe("");
});

test("no panel or alert uses key or user labels, because these series are optional", () => {
  for (const { expression } of [...dashboardQueries(), ...alerts]) {
    expect(expression).not.toMatch(/\b(key|user|end_user)\b/);
  }
});

test("panels have unique titles and a description, and fit the page", () => {
  for (const { rows, title } of dashboards) {
    const panels = rows.flatMap((row) => row.panels);
    const titles = panels.map((panel) => panel.title);
    expect(new Set(titles).size, title).toBe(titles.length);
    for (const { description, width } of panels) {
      expect(description).not.toBe("");
      expect(width).toBeLessThanOrEqual(24);
    }
  }
  expect(dashboards.map(({ id }) => id)).toEqual(["overview", "cost", "providers", "platform", "runtime"]);
});

test("every metric that may be empty in the scrape test exists", () => {
  expect(Object.keys(mayBeEmpty).filter((name) => !metricRegistry.has(name))).toEqual([]);
});
