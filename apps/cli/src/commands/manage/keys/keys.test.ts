import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { startManaged } from "../manage.fixture.ts";

test("creating a key prints only the secret to standard output, and every list format shows the key by name", async ({
  database,
}) => {
  const { cli, platform, owner } = await startManaged(database);
  const dry = await cli.run(["keys", "create", "ci-bot", "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("No changes were made.") });
  const made = await cli.run(["keys", "create", "ci-bot", "--cap", "25/month", "--models", "sim/*"]);
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^sk-tg-\w+\n$/);
  expect(made.stderr).toMatch(
    /^✓ Created key ci-bot in team Default \(.+\)\n\n {2}sk-tg-\w{4}… +the full key is printed once below/,
  );
  expect(made.stderr).toContain("models  sim/*     budget  $25.00 per month     expires  never");
  expect(made.stderr).not.toContain(made.stdout.trim());
  const quiet = await cli.run(["keys", "create", "quiet", "-q"]);
  expect(quiet).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^sk-tg-\w+\n$/) });
  await cli.run(["keys", "delete", "quiet", "--yes"]);

  const piped = await cli.run(["key", "list"]);
  expect(piped.stdout.split("\t")[0]).toBe("ci-bot");
  const shown = await cli.run(["keys", "list", "--no-color"], { terminal: { columns: 30 } });
  expect(shown.stdout.split("\n")[0]).toMatch(/^NAME +STATUS +SPENT$/);
  const json = await cli.json("keys", "list", "--json=name,budget");
  expect(json.data).toMatchObject([{ name: "ci-bot", budget: { limit: 25_000_000_000 } }]);
  expect(json.meta).toMatchObject({ total: 1 });
  expect((await cli.run(["keys", "list", "--jq", ".data[] | .name"])).stdout).toBe("ci-bot\n");
  expect((await cli.run(["keys", "list", "--csv=name,status"])).stdout).toBe("name,status\r\nci-bot,active\r\n");
  const wrong = await cli.run(["keys", "list", "--json=nmae"]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean 'name'?") });
  // The printed secret belongs to the key.
  const [token, apiKey] = [owner.token, made.stdout.trim()];
  expect(
    (await platform.api("POST", "/api/api-keys/update", { token, body: { token: apiKey, name: "x" } })).status,
  ).toBe(200);
});

test("updates, renames, rotates, and shows a key by name", async ({ database }) => {
  const { cli } = await startManaged(database);
  const first = (await cli.run(["keys", "create", "ci-bot", "-q"])).stdout;
  expect((await cli.run(["keys", "update", "ci-bot", "--cap", "5/day", "--rpm", "60", "--expires", "30d"])).code).toBe(
    0,
  );
  const key = await cli.json("keys", "show", "ci-bot");
  expect(key).toMatchObject({
    name: "ci-bot",
    budget: { limit: 5_000_000_000, period: "daily" },
    rateLimit: { rpm: 60 },
  });
  expect(key.expiresAt).not.toBeNull();
  const lifted = ["--cap", "none", "--rpm", "0", "--expires", "never"];
  expect(await cli.json("keys", "update", "ci-bot", ...lifted)).toMatchObject({ budget: null, expiresAt: null });
  expect(await cli.run(["keys", "update", "ci-bot"])).toMatchObject({ code: 2 });
  expect(await cli.run(["keys", "update", "ci-bot", "--cap", "5/year"])).toMatchObject({ code: 2 });

  const renamed = await cli.run(["keys", "rename", "ci-bot", "ci-linux"]);
  expect(renamed).toMatchObject({ code: 0, stdout: "", stderr: "✓ Renamed key ci-bot to ci-linux\n" });
  expect(await cli.run(["keys", "show", "ci-bot"])).toMatchObject({ code: 3 });
  const shown = await cli.run(["keys", "show", "ci-linux"], { terminal: { columns: 80 } });
  expect(shown.stdout).toContain("\x1b[2mname");
  expect((await cli.run(["keys", "show", "ci-linux"])).stdout).toContain("name\tci-linux\n");

  // The old secret stops working immediately, so confirmation is required.
  expect(await cli.run(["keys", "rotate", "ci-linux"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Add --yes"),
  });
  const graced = await cli.run(["keys", "rotate", "ci-linux", "--grace", "1h"]);
  expect(graced.stdout).toMatch(/^sk-tg-\w+\n$/);
  expect(graced.stdout).not.toBe(first);
  expect(await cli.run(["keys", "rotate", "ci-linux", "--grace", "8d"])).toMatchObject({ code: 2 });
});

test("enables, disables, and deletes several keys in one command, and names the keys that it could not change", async ({
  database,
}) => {
  const { cli, platform, owner } = await startManaged(database);
  for (const name of ["one", "two", "three"]) await cli.run(["keys", "create", name, "-q"]);
  const statuses = async () => (await cli.json("keys", "list", "--json=name,status")).data;
  expect((await cli.run(["keys", "disable", "one", "two"])).code).toBe(0);
  expect(await statuses()).toEqual(
    expect.arrayContaining([
      { name: "one", status: "disabled" },
      { name: "two", status: "disabled" },
      { name: "three", status: "active" },
    ]),
  );
  expect((await cli.run(["keys", "enable", "one"])).stderr).toBe("✓ Enabled one\n");
  // If one of the keys doesn't exist, no key is changed.
  expect(await cli.run(["keys", "delete", "one", "nine", "--yes"])).toMatchObject({ code: 3 });
  expect(await statuses()).toHaveLength(3);
  const plan = await cli.run(["keys", "delete", "one", "two", "--dry-run"]);
  expect(plan.stdout).toMatch(/^Dry run: Permanently delete 2 keys\n {2}one \(key_.*\n {2}two/);

  // A member can see all keys but can change only the keys that they created.
  const member = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "member" });
  cli.signIn(platform.url, member.token);
  await cli.run(["keys", "create", "own", "-q"]);
  const some = await cli.run(["keys", "delete", "own", "one", "--yes"]);
  expect(some).toMatchObject({
    code: 8,
    stderr: expect.stringMatching(/✓ Deleted own\n! one \(key_\w+\): Only the creator of this key/),
  });
  expect(await cli.run(["keys", "delete", "one", "--yes"])).toMatchObject({ code: 4 });
  cli.signIn(platform.url, owner.token);
  const done = await cli.json("keys", "delete", "one", "two", "--yes");
  expect(done).toMatchObject({
    data: [
      { name: "one", ok: true },
      { name: "two", ok: true },
    ],
    meta: { failed: 0 },
  });
});
