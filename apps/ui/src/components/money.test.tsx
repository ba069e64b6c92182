import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { Money } from "./money.tsx";

const show = (element: Parameters<typeof render>[0]) => {
  const { container } = render(element);
  return { text: container.textContent, title: container.querySelector("[title]")?.getAttribute("title") ?? null };
};

test("shows as many decimals as the place needs, and all nine in the title", () => {
  const nano = 1_234_567_891_234n;
  expect(show(<Money nano={nano} />)).toEqual({ text: "$1,234.57", title: "$1,234.567891234" });
  expect(show(<Money nano={nano} form="request" />).text).toBe("$1,234.567891");
  expect(show(<Money nano={4_120_000n} />).text).toBe("$0.00412");
});

test("an exact amount shows every digit", () => {
  expect(show(<Money nano={-214_371_826_401n} form="exact" />).text).toBe("−$214.371826401");
});

test("in a ledger, credits have a plus sign, charges have a minus sign, and zero has none", () => {
  expect(show(<Money nano={5_000_000_000n} form="exact" signed />).text).toBe("+$5.000000000");
  expect(show(<Money nano={-1n} form="exact" signed />).text).toBe("−$0.000000001");
  expect(show(<Money nano={0n} signed />).text).toBe("$0.00");
  expect(show(<Money nano={5_000_000_000n} signed />).text).toBe("+$5.00");
  expect(show(<Money nano={5_000_000_000n} />).text).toBe("$5.00");
});

test("an unknown price is not shown as free", () => {
  expect(show(<Money nano={null} />).text).toBe("Unpriced");
});
