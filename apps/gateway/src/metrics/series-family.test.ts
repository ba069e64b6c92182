import { expect, test } from "vitest";
import { Counter } from "./call-series.ts";
import { MetricsText } from "./metrics-text.ts";
import { MAX_SERIES, SeriesFamily } from "./series-family.ts";

test("a metric groups series beyond its limit under the label value 'other'", async () => {
  const family = new SeriesFamily(["model", "team"], () => new Counter());
  for (let index = 0; index < MAX_SERIES + 500; index += 1) family.get([`model-${index}`, "t"]).count += 1;
  family.get(["model-7", "t"]).count += 1;
  const text = new MetricsText();
  await text.values("gw_retries_total", family.entries(), ({ count }) => count);
  const lines = text.toString().trim().split("\n");
  expect(lines).toHaveLength(2 + MAX_SERIES + 1);
  expect(lines.at(-1)).toBe('gw_retries_total{model="other",team="other"} 500');
  expect(lines).toContain('gw_retries_total{model="model-7",team="t"} 2');
});
