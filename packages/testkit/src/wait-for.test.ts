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
