import { expect, test } from "vitest";
import { claimRedisDatabase } from "./redis.ts";

test("gives each caller an empty database that no other caller writes to", async () => {
  const [one, two] = await Promise.all([claimRedisDatabase(), claimRedisDatabase()]);
  await one.client.set("counter", "1");
  expect(one.database).not.toBe(two.database);
  expect(await two.client.get("counter")).toBeNull();
  await Promise.all([one.release(), two.release()]);
});
