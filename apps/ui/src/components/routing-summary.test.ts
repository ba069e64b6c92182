import type { LiveState } from "@tollgate/domain/figures/deployment-health.ts";
import { expect, test } from "vitest";
import { layOutRouting } from "./routing-layout.ts";
import { firstChoices, type RoutedGroup, routingSummary } from "./routing-summary.ts";

const deployment = (id: string, weight: number | null, order: number | null = null, status: LiveState = "healthy") => ({
  id,
  provider: id,
  model: "claude",
  weight,
  order,
  status,
  health: "healthy" as const,
});
const group: RoutedGroup = {
  name: "claude-sonnet-4-5",
  strategy: "simple-shuffle",
  retries: 1,
  cooldownSeconds: 60,
  timeoutSeconds: 60,
  deployments: [deployment("anthropic", 70), deployment("bedrock", 30)],
  fallbacks: ["gpt-5"],
  contextWindowFallbacks: ["gemini-2.5-pro"],
  contentPolicyFallbacks: [],
};

test("the routing summary lists exactly the rules that apply", () => {
  expect(routingSummary(group)).toEqual([
    "Check the key, limits, and balance, then place a hold for the maximum cost.",
    "Distribute requests: anthropic 70%, bedrock 30%.",
    "If an attempt fails before the first byte, retry once.",
    "A deployment that keeps failing enters a 60 s cooldown.",
    "If all deployments fail, fall back to gpt-5.",
    "If the context window is exceeded, fall back to gemini-2.5-pro.",
  ]);
});

test("uses equal shares if no weights are set, tries lower orders first, and skips disabled deployments", () => {
  const choices = (deployments: RoutedGroup["deployments"]) => [...firstChoices({ ...group, deployments })];
  expect(choices([deployment("a", null), deployment("b", null)])).toEqual([
    ["a", 0.5],
    ["b", 0.5],
  ]);
  expect(choices([deployment("a", null, 1), deployment("b", null, 2)])).toEqual([["a", 1]]);
  expect(choices([deployment("a", 1, null, "disabled"), deployment("b", 1)])).toEqual([["b", 1]]);
});

test("dynamic strategies have no fixed shares", () => {
  expect(firstChoices({ ...group, strategy: "least-busy" }).size).toBe(0);
  expect(routingSummary({ ...group, strategy: "least-busy" })[1]).toContain("fewest requests");
});

test("boxes never overlap and always fit in the drawing", () => {
  const many = Array.from({ length: 12 }, (_, index) => deployment(`d${index}`, null));
  for (const deployments of [[], many.slice(0, 1), many.slice(0, 3), many]) {
    const layout = layOutRouting({ ...group, deployments });
    const boxes = [...layout.deployments, ...layout.fallbacks].toSorted((a, b) => a.y - b.y);
    for (const [index, box] of boxes.entries()) {
      const next = boxes[index + 1];
      if (next !== undefined) expect(box.y + box.height).toBeLessThan(next.y);
      expect(box.y + box.height).toBeLessThanOrEqual(layout.height);
    }
  }
});
