import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { testCli } from "../../../cli.fixture.ts";

test("a key is made with its secret alone on standard output, and listed by name for people and programs", async ({
  database,
}) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const owner = await platform.addUser();
  const cli = testCli({ env: { TOLLGATE_URL: platform.url } });
  cli.signIn(platform.url, owner.token);

  const dry = await cli.run(["keys", "create", "ci-bot", "--dry-run"]);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was changed.") });
  const made = await cli.run(["keys", "create", "ci-bot", "--cap", "25/month", "--models", "sim/*"]);
  expect(made.code).toBe(0);
  expect(made.stdout).toMatch(/^sk-tg-\w+\n$/);
  expect(made.stderr).toContain("cap  $25.00 monthly");

  const piped = await cli.run(["key", "list"]);
  expect(piped.stdout.split("\t")[0]).toBe("ci-bot");
  const shown = await cli.run(["keys", "list", "--no-color"], { terminal: { columns: 30 } });
  expect(shown.stdout.split("\n")[0]).toMatch(/^NAME +STATUS +SPENT$/);
  const json = JSON.parse((await cli.run(["keys", "list", "--json=name,budget"])).stdout);
  expect(json.data).toMatchObject([{ name: "ci-bot", budget: { limit: 25_000_000_000 } }]);
  expect(json.meta).toMatchObject({ total: 1 });
  expect((await cli.run(["keys", "list", "--jq", ".data[] | .name"])).stdout).toBe("ci-bot\n");
  expect((await cli.run(["keys", "list", "--csv=name,status"])).stdout).toBe("name,status\r\nci-bot,active\r\n");
  const wrong = await cli.run(["keys", "list", "--json=nmae"]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean name?") });
});
