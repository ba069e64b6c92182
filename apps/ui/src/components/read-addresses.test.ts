import { expect, test } from "vitest";
import { readAddresses } from "./read-addresses.ts";

test("addresses are found whatever is between them, each once", () => {
  const pasted = `Lena Hartmann <lena@acme.dev>, jonas@acme.dev;ines@acme.dev\n"Ken" (ken@acme.dev)\tLENA@acme.dev.`;
  expect(readAddresses(pasted)).toEqual(["lena@acme.dev", "jonas@acme.dev", "ines@acme.dev", "ken@acme.dev"]);
});

test("a text without an address names nobody", () => {
  expect(readAddresses("Lena, Jonas and @ines")).toEqual([]);
});
