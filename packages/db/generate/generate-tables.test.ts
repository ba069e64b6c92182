import { readFileSync } from "node:fs";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { renderTables, TABLES_FILE } from "./generate-tables.ts";

test("the table types match the migrated database", async ({ database }) => {
  expect(readFileSync(TABLES_FILE, "utf8")).toBe(await renderTables(database.connectionString));
});
