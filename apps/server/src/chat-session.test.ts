import { readFileSync } from "node:fs";
import { join } from "node:path";
import { testCli } from "@tollgate/cli/cli.fixture.ts";
import { startTerminal } from "@tollgate/cli/terminal.fixture.ts";
import { chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { expect } from "vitest";
import { test } from "./hosted-platform.fixture.ts";

test("a chat session keeps the conversation, accepts commands, and stops a response on Ctrl-C", async ({
  hosted,
  upstream,
}) => {
  const person = await hosted.signUp();
  await hosted.addCredit(person, 1_000_000_000n);
  const { token } = await hosted.createKey(person);
  const { home, env, signIn } = testCli({ env: { TOLLGATE_URL: hosted.url, TOLLGATE_API_KEY: token, NO_COLOR: "1" } });
  signIn(hosted.url, person.token);
  const terminal = startTerminal(["chat", "-m", "metered", "-s", "Be brief."], env, home);

  await terminal.shows(/> /);
  upstream.streams(chatFrames({ model: "m1", pieces: ["Good ", "day."], inputTokens: 12, outputTokens: 3 }));
  terminal.type("hello \\\r");
  await terminal.shows(/… /);
  terminal.type("there\r");
  const answered = await terminal.shows(/balance \$[\d.]+/);
  expect(answered).toMatch(/Good day\.\r\n[\s\S]*12 in · 3 out · \$0\.000018 · /);
  expect(upstream.requests.at(-1)?.json()).toMatchObject({
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hello \nthere" },
    ],
  });

  await terminal.shows(/> /);
  terminal.type("/cost\r");
  await terminal.shows(/\$0\.000018\r\n/);
  terminal.type("/save talk.json\r");
  await terminal.shows(/Saved 2 messages/);
  expect(JSON.parse(readFileSync(join(home, "talk.json"), "utf8"))).toMatchObject({
    model: "metered",
    messages: [{ role: "system" }, { role: "user" }, { role: "assistant", content: "Good day." }],
  });
  terminal.type("/nonsense\r");
  await terminal.shows(/Unknown command: \/nonsense/);

  const index = upstream.requests.length;
  // The gateway reads the stopped response to its end, so its usage is recorded later than the footer waits for it.
  upstream.streams(chatFrames({ model: "m1", pieces: ["Once ", "upon", " a time"] }), { delayMs: 900 });
  terminal.type("a long story\r");
  await terminal.shows(/Once /);
  terminal.type("\x03");
  await terminal.shows(/stopped/);
  expect((await upstream.ended(index)).end?.kind).toBe("answered");

  terminal.type("/model sim/echo\r");
  await terminal.shows(/model: sim\/echo/);
  terminal.type("parrot\r");
  await terminal.shows(/parrot[\r\n]+parrot/);
  await terminal.shows(/ ms\r\n[\s\S]*> /);
  terminal.type("\x03");
  await terminal.shows(/Press Ctrl-C again to exit/);
  terminal.type("\x03");
  expect(await terminal.ended()).toBe(130);
});

test("a one-shot prompt colors only the footer, and /exit ends a session with code 0", async ({ hosted }) => {
  const person = await hosted.signUp();
  const { token } = await hosted.createKey(person);
  const { home, env, signIn } = testCli({ env: { TOLLGATE_URL: hosted.url, TOLLGATE_API_KEY: token } });
  signIn(hosted.url, person.token);
  const once = startTerminal(["chat", "-m", "sim/echo", "hello"], env, home);
  const shown = await once.shows(/balance \$0\.00/);
  // A slow start shows a spinner first, which the response erases.
  expect(shown.split("\r\n")[0]?.split("\u001b[K").at(-1)).toBe("hello");
  expect(shown).toContain("\x1b[2m");
  expect(await once.ended()).toBe(0);

  const session = startTerminal(["chat", "-m", "sim/echo"], env, home);
  await session.shows(/> /);
  session.type("/exit\r");
  expect(await session.ended()).toBe(0);
});
