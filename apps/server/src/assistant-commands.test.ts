import { testCli } from "@tollgate/cli/cli.fixture.ts";
import { expect } from "vitest";
import { test } from "./hosted-assistants.fixture.ts";

test("the CLI creates an assistant, streams its thread, and lists and deletes the assistant", async ({
  hosted,
  runWorker: _,
}) => {
  const person = await hosted.signUp();
  await hosted.addCredit(person, 1_000_000_000n);
  const { token } = await hosted.createKey(person);
  const cli = testCli({ env: { TOLLGATE_URL: hosted.url, TOLLGATE_API_KEY: token } });

  const made = await cli.run(["assistants", "create", "helper", "-m", "sim/echo", "--instructions", "Repeat."]);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^asst_\w+\n$/) });
  const rows = await cli.run(["assistants", "list"]);
  expect(rows.stdout.split("\t").slice(0, 2)).toEqual(["helper", "sim/echo"]);
  const listed = JSON.parse((await cli.run(["assistants", "--json=id,name"])).stdout);
  expect(listed).toEqual({ data: [{ id: made.stdout.trim(), name: "helper" }], meta: { hasMore: false } });
  const shown = await cli.run(["assistant", "show", "helper", "--no-color"], { terminal: { columns: 80 } });
  expect(shown.stdout).toMatch(/^instructions +Repeat\.$/m);

  const answered = await cli.run(["threads", "create", "good morning", "--assistant", "helper"]);
  expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining("good morning") });
  const thread = /thread_\w+/.exec(answered.stderr)?.[0] as string;
  const sent = await cli.run(["threads", "send", thread, "good evening", "--assistant", "helper", "--json"]);
  const events = sent.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).event);
  expect(events[0]).toBe("thread.run.created");
  expect(events.at(-1)).toBe("thread.run.completed");
  const messages = JSON.parse((await cli.run(["threads", "messages", thread, "--json=role"])).stdout);
  expect(messages.data.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(JSON.parse((await cli.run(["threads", "show", thread, "--json"])).stdout)).toMatchObject({ id: thread });

  expect(await cli.run(["threads", "delete", thread])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes"),
  });
  expect(await cli.run(["threads", "delete", thread, "--yes"])).toMatchObject({ code: 0 });
  expect(await cli.run(["threads", "show", thread])).toMatchObject({ code: 3 });
  expect(await cli.run(["threads", "show", "../models"])).toMatchObject({ code: 3 });
  expect(await cli.run(["assistants", "delete", "helper", "--yes"])).toMatchObject({ code: 0 });
  expect(await cli.run(["assistants", "show", "helper"])).toMatchObject({ code: 3 });
});
