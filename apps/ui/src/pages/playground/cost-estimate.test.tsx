import { render } from "@testing-library/react";
import type { CostQuote } from "@tollgate/sdk/gateway";
import { expect, test } from "vitest";
import { CostEstimate } from "./cost-estimate.tsx";

const quote = (inputTokens: number, nano: bigint): Partial<CostQuote> => ({
  input_tokens: inputTokens,
  worst_case_nano_usd: nano,
});

const textOf = (quotes: readonly (Partial<CostQuote> | null)[], typical: readonly (bigint | null)[]) =>
  render(<CostEstimate quotes={quotes as readonly (CostQuote | null)[]} typical={typical} />).container.textContent;

test("shows what a request usually costs beside its maximum", () => {
  expect(textOf([quote(12, 173_851_000n)], [690_000n])).toBe("12 input tokens, typically $0.00069, up to $0.174");
});

test("adds up the models of all columns, and omits the usual cost if one of them is unknown", () => {
  const both = [quote(12, 1_000_000n), quote(14, 2_000_000n)];
  expect(textOf(both, [1_000n, 2_000n])).toBe("12 and 14 input tokens, typically $0.000003, up to $0.003 for both");
  expect(textOf(both, [1_000n, null])).toBe("12 and 14 input tokens, up to $0.003 for both");
});

test("shows nothing until the maximum of every model is known", () => {
  expect(textOf([quote(12, 1_000_000n), null], [1_000n, 1_000n])).toBe("");
});
