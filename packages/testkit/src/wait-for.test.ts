import { expect, test } from "vitest";
import { waitFor } from "./wait-for.ts";

test("returns the check's result as soon as it is truthy", async () => {
  let tries = 0;
  expect(await waitFor("three tries", () => (++tries === 3 ? "done" : null))).toBe("done");
});

test("the timeout error names the condition and contains the last error", async () => {
  const cause = new Error("not yet");
  const waiting = waitFor(
    "the impossible",
    () => {
      throw cause;
    },
    { limitMs: 20 },
  );
  await expect(waiting).rejects.toMatchObject({ message: "waited 20 ms for the impossible", cause });
});

test("a stall that is longer than the limit does not end the wait", async () => {
  let checks = 0;
  const check = () => {
    checks += 1;
    if (checks === 2) stall(200);
    return checks === 10;
  };
  expect(await waitFor("the tenth check", check, { limitMs: 100 })).toBe(true);
});

test("a limit allows for at least twenty checks, no matter how long each of them takes", async () => {
  let checks = 0;
  const check = () => {
    checks += 1;
    stall(10);
    return false;
  };
  await expect(waitFor("the impossible", check, { limitMs: 50 })).rejects.toThrow("waited 50 ms for the impossible");
  expect(checks).toBeGreaterThanOrEqual(20);
});

/** Does nothing for this time, as a process that the machine doesn't run. */
function stall(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
