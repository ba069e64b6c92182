import { expect, test } from "vitest";
import { threadTable } from "./thread-table.ts";

test("shows known threads first, and leaves out programs without Node and threads without work", () => {
  const table = threadTable([
    { name: "bare", threadMicros: { main: 50.2, v8Workers: 6.19, other: 0 } },
    { name: "tollgate", threadMicros: { counting: 0.5, workerProcess: 2, journal: 9, main: 120, other: 0.01 } },
    { name: "nginx", threadMicros: { nginx: 12, supervisor: 0.1 } },
  ]);
  expect(table).toBe(
    [
      "CPU µs per call by thread, median",
      "             main  journal  V8 workers  worker process  counting",
      "  bare       50.2                  6.2                          ",
      "  tollgate  120.0      9.0                         2.0       0.5",
    ].join("\n"),
  );
  expect(threadTable([])).toBe("");
});
