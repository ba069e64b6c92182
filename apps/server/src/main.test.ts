import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const run = (...args: string[]) => spawnSync(join(root, "bin/tollgate"), args, { cwd: root, encoding: "utf8" });

test("a reader that stops reading ends the command without a stack trace", { timeout: 30_000 }, () => {
  const { stderr } = spawnSync("/bin/sh", ["-c", "bin/tollgate --help | true"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
});

test("a word that several commands begin with shows those commands", () => {
  const { status, stderr } = run("train");
  expect(status).toBe(2);
  expect(stderr).toContain("tollgate train new ");
  expect(stderr).not.toContain("tollgate dev ");
});

// One process after the other, each as slow to start as the machine is busy.
test("every command the help names can be run", { timeout: 60_000 }, () => {
  const { stdout } = run("--help");
  const commands = [...stdout.matchAll(/^ {2}tollgate ([a-z]+(?: [a-z-]+)?) {2,}/gm)].map(
    (match) => match[1] as string,
  );
  expect(commands).toEqual(expect.arrayContaining(["config convert", "ledger verify", "ledger re-rate"]));
  for (const command of commands) {
    const { stderr, stdout: shown } = run(...command.split(" "), "--help");
    expect(stderr + shown, command).not.toContain("There is no command");
  }
});
