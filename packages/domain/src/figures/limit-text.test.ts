import { expect, test } from "vitest";
import { formatLimitValue } from "./limit-text.ts";

test("values of credit and budgets are money with all digits, and values of other limits are counts", () => {
  expect(formatLimitValue("budget", "0.548782570")).toBe("$0.54878257");
  expect(formatLimitValue("budget", "0.540000000")).toBe("$0.54");
  expect(formatLimitValue("credit", "-1.5")).toBe("−$1.50");
  expect(formatLimitValue("requests", "1200")).toBe("1,200");
  expect(formatLimitValue("tokens", 600)).toBe("600");
});

test("a text that is no number is returned as it is", () => {
  expect(formatLimitValue("budget", "unknown")).toBe("unknown");
  expect(formatLimitValue("monthly spend cap", "$5.00")).toBe("$5.00");
});
