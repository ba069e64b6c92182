import { recorded } from "@tollgate/testkit/recorded-platform.ts";
import { expect, test } from "vitest";
import { startRecorded } from "../recorded.fixture.ts";

const bot = recorded("getApiKey").apiKey;

test("deletes after the user types the name of the key", async () => {
  const { platform, cli } = await startRecorded();
  const run = await cli.run(["keys", "delete", "ci-bot"], { typed: "ci-bot\n" });
  expect(run.stderr).toContain("Permanently delete 1 key\n  ci-bot (");
  expect(run.stderr).toContain("Type ci-bot to confirm:");
  expect(run).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("✓ Deleted ci-bot\n") });
  expect(platform.asked("removeApiKey")).toMatchObject([{ body: { apiKey: bot.id } }]);
});

test.for(["yes", "ci-bo", "CI-BOT", "1", ""])(
  "changes nothing if the user types '%s' instead of the name",
  async (typed) => {
    const { platform, cli } = await startRecorded();
    const run = await cli.run(["keys", "delete", "ci-bot"], { typed: `${typed}\n` });
    expect(run).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("✗ Not confirmed. No changes were made."),
    });
    expect(platform.asked("removeApiKey")).toEqual([]);
  },
);

test("asks for the number of keys if there are several", async () => {
  const { platform, cli } = await startRecorded();
  const run = await cli.run(["keys", "delete", "ci-bot", "web-prod", "ci-bot"], { typed: "2\n" });
  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("Type 2 to confirm:") });
  expect(platform.asked("removeApiKey")).toHaveLength(2);
});

test.for([
  ["Ctrl-C", "\x03"],
  ["Ctrl-D", "\x04"],
  ["the end of the input", ""],
] as const)("%s at a prompt changes nothing and exits with code 130", async ([, typed]) => {
  const { platform, cli } = await startRecorded();
  const run = await cli.run(["keys", "delete", "ci-bot"], { typed });
  expect(run).toMatchObject({
    code: 130,
    stdout: "",
    stderr: expect.stringContaining("Interrupted. No changes were made."),
  });
  expect(platform.asked("removeApiKey")).toEqual([]);
});

test("without a terminal, a deletion needs --yes or TOLLGATE_YES", async () => {
  const { platform, cli } = await startRecorded();
  expect(await cli.run(["keys", "delete", "ci-bot"], { stdin: "ci-bot\n" })).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/standard input is not a terminal\.\n {2}Fix: {2}Add --yes\.\n$/),
  });
  expect(await cli.run(["keys", "delete", "ci-bot"], { env: { TOLLGATE_YES: "0" } })).toMatchObject({ code: 2 });
  expect(platform.asked("removeApiKey")).toEqual([]);
  expect(await cli.run(["keys", "delete", "ci-bot", "-y"])).toMatchObject({ code: 0 });
  expect(await cli.run(["keys", "delete", "ci-bot"], { env: { TOLLGATE_YES: "1" } })).toMatchObject({ code: 0 });
  expect(platform.asked("removeApiKey")).toHaveLength(2);
});

test.for([
  [["keys", "rotate", "ci-bot"], "ci-bot"],
  [["teams", "delete", "Research"], "Research"],
  [["teams", "remove-member", "Research", "bo@example.org"], "bo@example.org"],
  [["members", "remove", "2"], "bo@example.org"],
  [["members", "set-role", "bo@example.org", "owner"], "bo@example.org"],
  [["webhooks", "delete", "whk_1"], "whk_1"],
  [["admin", "users", "delete", "2"], "bo@example.org"],
  [["admin", "models", "delete", "acme/7b"], "acme/7b"],
  [["admin", "providers", "delete", "acme"], "acme"],
] as const)("%o asks to type %s, and --dry-run asks nothing", async ([args, name]) => {
  const { platform, cli } = await startRecorded();
  expect(await cli.run(args, { typed: "no\n" })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Type ${name} to confirm:`),
  });
  expect(await cli.run([...args, "--dry-run"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Dry run: .*\nNo changes were made\.\n$/s),
    stderr: "",
  });
  expect(platform.requests.filter(({ operation }) => !/^(?:get|list)/.test(operation))).toEqual([]);
});

test("asks for the password if the platform requires it, sends it once, and repeats the change", async () => {
  const { platform, cli } = await startRecorded();
  const refusal = {
    error: "Confirm your password.",
    code: "FORBIDDEN",
    details: { reason: "REAUTHENTICATION_REQUIRED" },
  };
  let isConfirmed = false;
  platform.plans("reauthenticate", ({ body }) => {
    isConfirmed = (body as { password: string }).password === "correct horse";
    return { status: 204 };
  });
  platform.plans("updateUser", () =>
    isConfirmed ? { status: 200, body: recorded("updateUser") } : { status: 403, body: refusal },
  );
  const run = await cli.run(["admin", "users", "disable", "2"], { typed: "correct horse\n" });
  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("bo@example.org is now disabled") });
  expect(run.stderr).toContain("Password:");
  expect(run.stderr).not.toContain("correct horse");
  expect(platform.asked("updateUser")).toHaveLength(2);

  isConfirmed = false;
  expect(await cli.run(["admin", "users", "disable", "2"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("Run tollgate login, then retry within 10 minutes."),
  });
  const fromEnvironment = await cli.run(["admin", "users", "disable", "2"], {
    env: { TOLLGATE_PASSWORD: "correct horse" },
  });
  expect(fromEnvironment.code).toBe(0);
});
