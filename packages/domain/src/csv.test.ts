import fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine } from "./csv.ts";

test("no CSV cell is a formula, and the original text of every cell can be restored", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `=${text}`),
        fc.string({ unit: "grapheme" }),
      ),
      (text) => {
        const cell = csvLine([text]).slice(0, -"\r\n".length);
        const content = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        expect(content.replace(/^'/, "")).toBe(text.replace(/^'/, ""));
        expect(content).not.toMatch(/^[=+\-@\t\r]/);
        if (/[",\r\n]/.test(content)) expect(cell).toMatch(/^".*"$/s);
      },
    ),
  );
});

test("numbers keep their sign and their digits, and missing values are empty", () => {
  const values = [-5, -5n, { number: "-1.500000000" }, "-5", null, undefined, false, new Date(0)];
  expect(csvLine(values)).toBe("-5,-5,-1.500000000,'-5,,,false,1970-01-01T00:00:00.000Z\r\n");
});

test("spreadsheets that read other signs as the start of a formula get text, too", () => {
  expect(csvLine(["|x", "%x", "\nx", "＝1", "＋1", "－1", "＠x"])).toBe("'|x,'%x,\"'\nx\",'＝1,'＋1,'－1,'＠x\r\n");
});
