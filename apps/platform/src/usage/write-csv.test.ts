import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startReports } from "./usage.fixture.ts";

test("a CSV export contains every matching call across pages, with formulas escaped", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  await reports.settle(
    Array.from({ length: 450 }, (_, index) => ({
      agoMs: index * 60_000,
      cost: BigInt(index),
      requestId: `=1+${index},"x"`,
    })),
  );
  const { token } = reports.owner;
  for (const sort of ["-createdAt", "cost"]) {
    const file = await reports.platform.api("GET", `/api/gw/logs?format=csv&sort=${sort}`, { token });
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const lines = file.text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(451);
    expect(lines[0]).toMatch(/^id,requestId,createdAt,/);
    expect(new Set(lines).size).toBe(451);
    expect(lines[1]).toMatch(/^use_[0-9A-Z]{26},"'=1\+0,""x""",/);
  }
});
