import { expect, test } from "vitest";
import { describeTimeRange } from "./ledger-time.ts";

const year = new Date().getUTCFullYear();

test("an entry has its local day and time", () => {
  const at = `${year}-06-12T22:30:00Z`;
  expect(describeTimeRange(at, at, "UTC")).toBe("12 Jun 22:30");
  expect(describeTimeRange(at, at, "Asia/Tokyo")).toBe("13 Jun 07:30");
});

test("summed entries have the range of their times", () => {
  const text = describeTimeRange(`${year}-06-12T15:00:00Z`, `${year}-06-13T14:59:00Z`, "Asia/Tokyo");
  expect(text).toBe("13 Jun, 00:00 to 23:59");
});

test("an entry of another year names its year", () => {
  expect(describeTimeRange("2020-12-31T23:30:00Z", "2020-12-31T23:30:00Z", "Asia/Tokyo")).toBe("1 Jan 2021 08:30");
});
