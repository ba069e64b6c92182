import { expect, test } from "vitest";
import { cloneDatabase, querySql } from "./database.ts";

test("gives every concurrent caller its own empty database with the current schema", async () => {
  const databases = await Promise.all([cloneDatabase(), cloneDatabase(), cloneDatabase()]);
  expect(new Set(databases.map((database) => database.name)).size).toBe(3);
  for (const database of databases) {
    expect(await querySql(database.connectionString, "select count(*)::int as count from organizations")).toEqual([
      { count: 0 },
    ]);
    await database.drop();
  }
});

test("drops a database even if a client is still connected", async () => {
  const database = await cloneDatabase();
  const waiting = querySql(database.connectionString, "select pg_sleep(10)");
  waiting.catch(() => {});
  await database.drop();
  await expect(waiting).rejects.toThrow();
  await expect(querySql(database.connectionString, "select 1")).rejects.toThrow("does not exist");
});
