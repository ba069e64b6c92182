import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { startManaged } from "./manage.fixture.ts";

const tollgate = fileURLToPath(new URL("../../../../../bin/tollgate", import.meta.url));

interface Started {
  /** Collected output. In a terminal, both streams are combined. */
  readonly written: { stdout: string; stderr: string };
  type(text: string): void;
  readonly ended: Promise<number>;
}

/** Starts the command in a separate process, on an 80-column terminal or with pipes. */
function startProcess(args: readonly string[], env: NodeJS.ProcessEnv, isTerminal: boolean): Started {
  const command = [tollgate, ...args];
  const [program, ...rest] = isTerminal
    ? ["script", "-qec", `stty cols 80 rows 40; ${command.map((word) => `'${word}'`).join(" ")}`, "/dev/null"]
    : command;
  const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...inherited } = process.env;
  const child = spawn(program as string, rest, { env: { ...inherited, ...env, TERM: "xterm" } });
  const written = { stdout: "", stderr: "" };
  child.stdout.on("data", (part: Buffer) => (written.stdout += part.toString()));
  child.stderr.on("data", (part: Buffer) => (written.stderr += part.toString()));
  if (!isTerminal) child.stdin.end();
  return {
    written,
    type: (text) => child.stdin.write(text),
    ended: new Promise((resolve) => child.once("close", (code) => resolve(code ?? -1))),
  };
}

test("uses colors, headings, and prompts in a terminal but not when output is piped", async ({ database }) => {
  const { cli } = await startManaged(database);
  await cli.run(["keys", "create", "ci-bot", "-q"]);
  const env = { ...cli.env };
  const [piped, shown, refused] = [
    startProcess(["keys", "list"], env, false),
    startProcess(["keys", "list"], env, true),
    startProcess(["keys", "delete", "ci-bot"], env, false),
  ];
  expect([await piped.ended, await shown.ended, await refused.ended]).toEqual([0, 0, 2]);
  expect(piped.written.stdout).toMatch(/^ci-bot\tDefault\tsk-tg-\w\w…\w{4}\tactive\t/);
  expect(piped.written).toMatchObject({ stdout: expect.not.stringContaining("\x1b"), stderr: "" });
  expect(shown.written.stdout).toContain("\x1b[2mNAME ");
  expect(shown.written.stdout).toContain("\x1b[32mactive\x1b[39m");
  expect(refused.written.stderr).toContain("standard input is not a terminal");
  expect(refused.written.stderr).not.toContain("\x1b");

  const deleting = startProcess(["keys", "delete", "ci-bot"], env, true);
  await waitFor("the question", () => deleting.written.stdout.includes("Type ci-bot to confirm:"));
  deleting.type("ci-bot\r");
  expect(await deleting.ended).toBe(0);
  expect(deleting.written.stdout).toContain("Deleted ci-bot");
  expect((await cli.json("keys", "list")).meta.total).toBe(0);
});

test("opens the checkout page in a terminal and shows a spinner while waiting for the payment", async ({
  database,
}) => {
  const { cli } = await startManaged(database);
  // A fake browser that only records the URL.
  const opened = join(cli.home, "opened");
  writeFileSync(join(cli.home, "xdg-open"), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 });
  const PATH = `${cli.home}:${process.env.PATH}`;
  const buying = startProcess(["credits", "buy", "5", "--wait", "1"], { ...cli.env, PATH }, true);
  expect(await buying.ended).toBe(7);
  expect(buying.written.stdout).toContain("\r⠋ waiting for the payment…");
  expect(await waitFor("the page", () => existsSync(opened) && readFileSync(opened, "utf8"))).toMatch(
    /\/checkout\/pur_/,
  );
});
