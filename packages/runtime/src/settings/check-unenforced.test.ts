import { expect, test } from "vitest";
import { loadValid } from "./load-for-test.ts";

test("limits and prices that are not held yet are told with their place", () => {
  const { warnings } = loadValid(`gw_settings:
  max_budget: 100
  cost_margin: {openai: 0.05}
  cost_discount_config: {azure: 0.1}
general_settings:
  global_max_parallel_requests: 50
billing:
  exposeBalance: true
`);
  expect(warnings.map(({ kind, line, message }) => `${kind} ${line} ${message}`)).toEqual([
    "advice 2 max_budget",
    "advice 3 cost_margin",
    "advice 4 cost_discount",
    "advice 6 global_max_parallel_requests",
    "advice 8 exposeBalance",
  ]);
});

test("limits that are held are taken without a word", () => {
  const { warnings } =
    loadValid(`billing: {provider: fake, admission: strict, holdFactor: 0.5, outputStep: 1024, failOpen: true}
general_settings: {max_parallel_requests: 5, rate_limit_window_seconds: 30, token_rate_limit_type: output}
`);
  expect(warnings).toEqual([]);
});
