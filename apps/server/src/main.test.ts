import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serverCommands } from "./server-commands.ts";

const root = join(import.meta.dirname, "../../..");
const run = (...args: string[]) => spawnSync(join(root, "bin/tollgate"), args, { cwd: root, encoding: "utf8" });

test("a closed output pipe ends the command without a stack trace", () => {
  const { stderr } = spawnSync("/bin/sh", ["-c", "bin/tollgate --help | true"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
});

test("a slow pipe reader receives all of a long output", () => {
  const command = "bin/tollgate --describe --json | (sleep 1; cat)";
  const { stdout } = spawnSync("/bin/sh", ["-c", command], { cwd: root, encoding: "utf8" });
  expect(stdout.length).toBeGreaterThan(65_536);
  expect(() => JSON.parse(stdout)).not.toThrow();
});

test("lists the matching commands for a prefix that several commands share", () => {
  const { status, stderr } = run("train");
  expect(status).toBe(2);
  expect(stderr).toContain("tollgate train new ");
  expect(stderr).not.toContain("tollgate dev ");
});

test("--describe lists server and client commands in one tree, each with its purpose", async () => {
  const { stdout } = run("--describe", "--json");
  const { commands } = JSON.parse(stdout) as { commands: { name: string; purpose: string }[] };
  const names = commands.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["config convert", "ledger re-rate", "keys create", "login", "config show"]),
  );
  expect(new Set(names).size).toBe(names.length);
  const all = run("help", "--all")
    .stdout.split("\n")
    .map((line) => line.trim().replaceAll(/ {2,}/g, "  "));
  expect(all).toEqual(expect.arrayContaining(commands.map(({ name, purpose }) => `tollgate ${name}  ${purpose}`)));
});

test("the overview fits in 80 columns and 24 rows and lists every group", () => {
  const { stdout } = run("--help");
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(23);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stdout).toContain("tollgate help --all");
  for (const name of ["account", "inference", "manage", "admin", "server", "train"]) {
    expect(stdout).toMatch(new RegExp(`^ {2}${name} +[A-Z]`, "m"));
    for (const args of [
      ["help", name],
      [name, "--help"],
    ])
      expect(run(...args).stdout).toMatch(/^ {2}tollgate /);
  }
});

test("help --all lists each command on one line with an aligned summary", () => {
  const lines = run("help", "--all").stdout.split("\n");
  const commands = lines.filter((line) => line.startsWith("  tollgate "));
  for (const line of commands) expect(line).toMatch(/^ {2}tollgate [a-z-]+(?: [a-z-]+)* {2,}[A-Z][^.]{0,58}[^.]$/);
  expect(new Set(commands.map((line) => line.search(/(?<= {2})[A-Z]/))).size).toBe(1);
});

test("every server command in the help can be loaded and prints its usage", async () => {
  for (const command of serverCommands(io())) {
    const listening = io();
    const [one] = serverCommands(listening).filter(({ name }) => name === command.name);
    await one?.runAs(["--help"]);
    expect(listening.text(), command.name).toContain(`tollgate ${command.name}`);
  }
});

function io() {
  let written = "";
  const stream = { write: (text: string) => (written += text) };
  return { stdout: stream, stderr: stream, env: {}, cwd: root, text: () => written };
}
