import { cleanup, render, screen } from "@testing-library/react";
import { HEALTH_STATES } from "@tollgate/domain/figures/deployment-health.ts";
import { expect, test } from "vitest";
import { DeploymentHealth } from "./deployment-health.tsx";
import { HealthDot } from "./health-dot.tsx";

const textOf = (element: React.ReactElement) => {
  const { container } = render(element);
  const text = container.textContent;
  cleanup();
  return text;
};

test("a deployment has the same word as on the health page, whatever its gateway reports", () => {
  for (const health of HEALTH_STATES) {
    expect(textOf(<DeploymentHealth deployment={{ health, status: "healthy" }} />)).toBe(
      textOf(<HealthDot health={health} />),
    );
  }
});

test("a deployment that gets no requests is marked, because its health does not say so", () => {
  render(<DeploymentHealth deployment={{ health: "unknown", status: "disabled" }} />);
  screen.getByText("No recent requests");
  screen.getByText("disabled");
});

test("a cooldown shows the seconds that remain", () => {
  const cooldownUntil = new Date(Date.now() + 600_000).toISOString();
  expect(textOf(<DeploymentHealth deployment={{ health: "cooling", status: "cooling", cooldownUntil }} />)).toMatch(
    /^In cooldown, (600|59\d) s$/,
  );
});
