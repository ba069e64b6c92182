import { expect, test } from "vitest";
import { readAddresses } from "./read-addresses.ts";

test("finds each email address once, regardless of the separators", () => {
  const pasted = `Lena Hartmann <lena@acme.dev>, jonas@acme.dev;ines@acme.dev\n"Ken" (ken@acme.dev)\tLENA@acme.dev.`;
  expect(readAddresses(pasted)).toEqual(["lena@acme.dev", "jonas@acme.dev", "ines@acme.dev", "ken@acme.dev"]);
});

test("finds no email address in text without one", () => {
  expect(readAddresses("Lena, Jonas and @ines")).toEqual([]);
});
