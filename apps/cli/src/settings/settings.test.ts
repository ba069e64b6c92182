import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testCli } from "../cli.fixture.ts";

test("a flag overrides the environment, project file, user file, and default, and the source of each value is shown", async () => {
  const cli = testCli();
  const folder = join(cli.home, "project/deep");
  mkdirSync(folder, { recursive: true });
  const url = async (args: readonly string[] = [], env = {}) => {
    const { stdout } = await cli.run(
      ["config", "show", "--jq", '.data[] | select(.name == "url") | .value, .origin', ...args],
      {
        cwd: folder,
        env,
      },
    );
    return stdout.trim().split("\n");
  };
  expect(await url()).toEqual(["http://127.0.0.1:4000", "default"]);
  expect((await cli.run(["config", "set", "api-url", "https://user.example"])).code).toBe(0);
  expect(await url()).toEqual(["https://user.example", join(cli.home, "config.toml")]);
  writeFileSync(join(cli.home, "project/.tollgate.toml"), 'url = "https://project.example"\n');
  expect(await url()).toEqual(["https://project.example", join(cli.home, "project/.tollgate.toml")]);
  expect(await url([], { TOLLGATE_URL: "https://env.example" })).toEqual(["https://env.example", "TOLLGATE_URL"]);
  expect(await url(["--url", "https://flag.example"], { TOLLGATE_URL: "https://env.example" })).toEqual([
    "https://flag.example",
    "--url",
  ]);
});

test.for(['api_key = "x"', 'token = "x"', 'model = "sk-tg-0123456789"', 'org = "eyJhbGciOi.J9"'])(
  "rejects a project file with a secret (%s) without repeating the secret",
  async (line) => {
    const cli = testCli();
    writeFileSync(join(cli.home, ".tollgate.toml"), `${line}\n`);
    const { code, stderr } = await cli.run(["config", "show"]);
    expect(code).toBe(2);
    expect(stderr).toContain("is a secret");
    expect(stderr).not.toMatch(/0123456789|eyJ/);
  },
);

test("a project file can't specify a program to run or a URL that receives a user's secrets", async () => {
  const cli = testCli();
  const path = join(cli.home, ".tollgate.toml");
  writeFileSync(path, 'pager = "rm -rf /"\n');
  expect(await cli.run(["config", "show"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("your own config.toml"),
  });
  writeFileSync(path, 'url = "http://127.0.0.1:1"\n');
  const sent = await cli.run(["whoami"], { env: { TOLLGATE_TOKEN: "covert" } });
  expect(sent).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("not sent to a URL that comes from a shared project file"),
  });
  cli.signIn("http://127.0.0.1:2", "covert");
  const stored = await cli.run(["whoami"]);
  expect(stored).toMatchObject({ code: 4, stderr: expect.stringContaining("You are signed in to http://127.0.0.1:2") });
});

test("each profile has separate settings and credentials in files that only the owner can read", async () => {
  const cli = testCli();
  cli.signIn("https://work.example", "work-token", "work");
  await cli.run(["config", "set", "url", "https://work.example", "--profile", "work", "--url", "https://work.example"]);
  expect((await cli.run(["profiles", "use", "work"])).code).toBe(0);
  expect((await cli.run(["auth", "token"])).stdout).toBe("work-token\n");
  expect(await cli.run(["auth", "token", "-p", "default"])).toMatchObject({ code: 4 });
  expect(await cli.run(["auth", "token", "-p", "wrok"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Unknown profile 'wrok'"),
  });
  for (const file of ["config.toml", "credentials.toml"])
    expect(statSync(join(cli.home, file)).mode & 0o777).toBe(0o600);
  expect(await cli.run(["profiles", "delete", "work"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes"),
  });
  expect(await cli.run(["profiles", "delete", "work", "--yes"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(cli.home, "credentials.toml"), "utf8")).not.toContain("work-token");
});
