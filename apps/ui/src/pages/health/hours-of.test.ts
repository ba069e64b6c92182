import { expect, test } from "vitest";
import { errorRates, hoursOf, joinCells, oncePerProvider } from "./hours-of.ts";

const cell = (at: string, succeeded: number, failed: number) => ({
  at: `2026-11-12T${at}:00.000Z`,
  requests: succeeded + failed,
  succeeded,
  failed,
});

test("the cells of all models are added up by the hour", () => {
  const rows = [{ cells: [cell("08:45", 3, 1), cell("09:00", 2, 0)] }, { cells: [cell("08:30", 1, 1)] }];
  expect(hoursOf(rows)).toEqual([
    { at: "2026-11-12T08:00:00.000Z", succeeded: 4, failed: 2 },
    { at: "2026-11-12T09:00:00.000Z", succeeded: 2, failed: 0 },
  ]);
});

test("deployments with the same model and provider count once, because they share their counts", () => {
  const rows = [
    { group: "chat", provider: "openai", id: 1 },
    { group: "chat", provider: "openai", id: 2 },
    { group: "chat", provider: "azure", id: 3 },
  ];
  expect(oncePerProvider(rows).map(({ provider }) => provider)).toEqual(["openai", "azure"]);
});

test("an hour without requests has no error rate", () => {
  expect(
    errorRates([
      { at: "", succeeded: 3, failed: 1 },
      { at: "", succeeded: 0, failed: 0 },
    ]),
  ).toEqual([0.25, null]);
});

test("cells are joined from the newest backward, so that the last one is never partial", () => {
  const cells = [
    cell("08:00", 1, 0),
    cell("08:15", 2, 0),
    cell("08:30", 3, 1),
    cell("08:45", 4, 0),
    cell("09:00", 5, 0),
  ];
  expect(joinCells(cells, 2)).toEqual([
    { ...cell("08:00", 1, 0) },
    { ...cell("08:15", 5, 1) },
    { ...cell("08:45", 9, 0) },
  ]);
});
