import { expect, test } from "vitest";
import { waitFor } from "./wait-for.ts";

test("gives what the check gives as soon as it gives something", async () => {
  let tries = 0;
  expect(await waitFor("three tries", () => (++tries === 3 ? "done" : null))).toBe("done");
});

test("names what it waited for, and the last error, when that does not come", async () => {
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
