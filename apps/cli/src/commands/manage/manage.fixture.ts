import { type PlatformOptions, startTestPlatform, type TestPlatform } from "@tollgate/platform/platform.fixture.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { onTestFinished } from "vitest";
import { testCli } from "../../cli.fixture.ts";

type TestUser = Awaited<ReturnType<TestPlatform["addUser"]>>;

/** Returns a signed-in CLI. */
export function signedIn({ url }: Pick<TestPlatform, "url">, { token }: Pick<TestUser, "token">) {
  const cli = testCli({ env: { TOLLGATE_URL: url } });
  cli.signIn(url, token);
  return {
    ...cli,
    /** Runs a command with `--json` and returns the parsed output. */
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape.
    async json(...args: string[]): Promise<any> {
      const { code, stdout, stderr } = await cli.run(
        args.some((each) => each.startsWith("--json")) ? args : [...args, "--json"],
      );
      if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}

/** Starts a platform with an owner signed in to the CLI, for one test. */
export async function startManaged(database: TestDatabase, options: PlatformOptions = {}) {
  const platform = await startTestPlatform(database, options);
  onTestFinished(() => platform.close());
  const owner = await platform.addUser();
  return { platform, owner, cli: signedIn(platform, owner) };
}
