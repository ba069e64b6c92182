import { expect, test } from "vitest";
import { projectBurn } from "./project-burn.ts";

const USD = 1_000_000_000n;
const now = new Date("2026-11-12T12:00:00Z");
const since = new Date("2026-11-06T00:00:00Z");

test("projects the runway from the mean of the last seven days, the current one in part", () => {
  expect(projectBurn({ spent: 13n * USD, since }, 24n * USD, now)).toEqual({
    perDay: 2n * USD,
    runway: "days",
    daysLeft: 12,
    emptyAt: new Date("2026-11-24T12:00:00Z"),
    lowAt: new Date("2026-11-17T12:00:00Z"),
  });
});

test("averages the spend of a new organization over its age, but over no less than a day", () => {
  const yesterday = new Date("2026-11-10T12:00:00Z");
  expect(projectBurn({ spent: 6n * USD, since: yesterday }, 6n * USD, now)).toMatchObject({
    perDay: 3n * USD,
    daysLeft: 2,
  });
  const justNow = new Date("2026-11-12T11:59:00Z");
  expect(projectBurn({ spent: USD, since: justNow }, USD, now)).toMatchObject({ perDay: USD, daysLeft: 1 });
});

test("no spend is not the same as a runway of more than a year", () => {
  const unknown = { daysLeft: null, emptyAt: null, lowAt: null };
  expect(projectBurn({ spent: 0n, since }, USD, now)).toEqual({ perDay: 0n, runway: "no_spend", ...unknown });
  expect(projectBurn({ spent: 1n, since }, 365n, now)).toMatchObject({ perDay: 1n, runway: "days", daysLeft: 365 });
  expect(projectBurn({ spent: 1n, since }, 366n, now)).toEqual({ perDay: 1n, runway: "over_a_year", ...unknown });
});

test("with a negative balance, the credit is exhausted now", () => {
  expect(projectBurn({ spent: USD, since }, -5n * USD, now)).toMatchObject({
    runway: "days",
    daysLeft: 0,
    emptyAt: now,
  });
});
