import { expect, test } from "vitest";
import { adviceFor } from "./check-phrases.ts";

test.for([
  ["Nobody confirmed the code in time.", "name the subject"],
  ["What is charged is the answer.", "start with a verb or a noun"],
  ["Requests with this key fail for good.", "use a verb"],
  ["The model 'x' has no price: unpriced is not free.", "delete the maxim"],
  ["The price is kept with the request.", "use the active voice and a precise verb"],
  ["So many calls are under way.", "use the field's word"],
  ["There is no such key.", 'write "Unknown …" or "No … found"'],
  ["Model of the provider", "use a compound noun"],
  ["The database is away.", "write unavailable or disconnected"],
  ["Delete several keys at once", "write concurrently or immediately"],
] as const)("flags the planted text %j", ([text, fix]) => {
  expect(adviceFor(text)).toBe(fix);
});

test("accepts plain text and questions", () => {
  expect(adviceFor("Requests with this key fail permanently.")).toBeNull();
  expect(adviceFor("What do you want to build?")).toBeNull();
});
