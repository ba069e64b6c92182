import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { serverCommands } from "@tollgate/server/server-commands.ts";
import { expect, onTestFinished, test } from "vitest";

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** Runs an operator command as `tollgate` does, in this process. The first words of the arguments are its name. */
async function run(line: readonly string[], { env = {}, stdin = "", cwd = tmpdir() }: Given = {}) {
  const written = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({ write: (text: string) => (written[name] += text) });
  const io = { stdin: Readable.from([stdin]), stdout: stream("stdout"), stderr: stream("stderr"), env, cwd };
  const command = serverCommands(io).find(({ name }) => `${line.join(" ")} `.startsWith(`${name} `));
  if (command === undefined) throw new Error(`No command is named ${line.join(" ")}.`);
  const code = await command.runAs(line.slice(command.name.split(" ").length));
  return { code, ...written };
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-flags-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test.for([
  [["admin", "create"], "--email must be an email address."],
  [["admin", "create", "--email", "example.org"], "--email must be an email address."],
  [["backup"], "--out FILE|DIR is required."],
  [["restore"], "Specify one backup file."],
  [["restore", "one.tar", "two.tar"], "Specify one backup file."],
  [["restore", "missing.tar"], "File not found: "],
  [["ledger", "verify", "--admission", "generous"], "--admission must be one of: strict, positive, nonnegative."],
  [["ledger", "verify", "--overdraft", "0.5"], "--overdraft must be an integer in nano-USD"],
  [["ledger", "verify", "--overdraft", "1000000000000001"], "--overdraft must be an integer in nano-USD"],
  [["ledger", "verify", "--reclaim-after", "soon"], "--reclaim-after must be a number of seconds."],
  [["ledger", "verify", "--reclaim-after=-1"], "--reclaim-after must be a number of seconds."],
  [["ledger", "verify", "--at-rest"], "--at-rest was renamed to --quiescent."],
  [["ledger", "explain"], "Specify one request ID or label."],
  [["ledger", "explain", "req_1", "req_2"], "Specify one request ID or label."],
  [
    ["ledger", "re-rate", "--from", "2026-11-02", "--to", "2026-11-01", "--prices", "p.json"],
    "--from must be before --to",
  ],
  [
    ["ledger", "re-rate", "--from", "2026-11-01", "--to", "2026-11-02"],
    "either --prices, or --edition and --from-edition are required",
  ],
  [["ledger", "rebuild"], "--organization is required."],
  [["ledger", "parked", "drop"], "Use 'list', or 'redrive' with an event ID."],
  [["ledger", "parked", "redrive", "not-an-id"], "Use 'list', or 'redrive' with an event ID."],
  [["secrets", "rotate", "--compromised"], "--compromised requires --signing."],
  [["config", "convert"], "Specify one file:"],
  [["import", "assistants"], "No export file specified."],
  [["import", "assistants", "--file", "e.json", "--model", "gpt-4"], "--model must have the form OLD=NEW"],
  [["import", "assistants", "--file", "e.json", "--base-url", "here"], "--base-url must be a URL"],
  [["import", "litellm"], "No source specified."],
  [["import", "litellm", "--config", "c.yaml", "--apply", "--dry-run"], "--apply and --dry-run cannot be combined."],
  [["train", "new"], "Specify one directory."],
  [["train", "new", "here", "--language", "cobol"], "Unknown language 'cobol'."],
] as const)("%o is invalid usage: exit code 2, and the reason on standard error", async ([line, text]) => {
  expect(await run(line, { cwd: emptyFolder() })).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^✗ /),
  });
  expect((await run(line, { cwd: emptyFolder() })).stderr).toContain(text);
});

const commands = serverCommands({ stdout: process.stdout, stderr: process.stderr, env: {}, cwd: "/" });
// `dev` and `serve` are not operator commands. They load the whole server first.
const names = commands.map(({ name }) => name.split(" ")).filter(([first]) => first !== "dev" && first !== "serve");

test.for(names)("`%s %s` with an unknown flag exits with code 2 and names the flag", async (...[name]) => {
  const { code, stdout, stderr } = await run([...name, "--unknown-flag"], { cwd: emptyFolder() });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^✗ /);
});

test.for(names)("`%s %s --help` prints the usage to standard output", async (...[name]) => {
  const { code, stdout, stderr } = await run([...name, "--help"], { cwd: emptyFolder() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`tollgate ${name.join(" ")}`);
});

test("a password that is too short is refused before a database is opened", async () => {
  const line = ["admin", "create", "--email", "a@example.org", "--password-stdin"];
  const env = { DATABASE_URL: "postgres://127.0.0.1:1/none" };
  expect(await run(line, { stdin: "short\n", env })).toMatchObject({ code: 2, stdout: "" });
});

test("a backup never overwrites a file", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "mine.tar"), "mine");
  const env = { DATABASE_URL: "postgres://127.0.0.1:1/none" };
  expect(await run(["backup", "--out", "mine.tar"], { cwd, env })).toMatchObject({
    code: 2,
    stderr: `✗ ${join(cwd, "mine.tar")} already exists.\n`,
  });
});

test.for([
  ["migrate", "status"],
  ["migrate", "plan"],
  ["migrate", "up"],
  ["backup", "--out", "b.tar"],
  ["ledger", "verify"],
])("`%s %s` exits with code 7 if the database cannot be reached, without its password", async (line) => {
  const env = { DATABASE_URL: "postgres://tollgate:the-password@127.0.0.1:1/none" };
  const { code, stdout, stderr } = await run(line, { cwd: emptyFolder(), env });
  expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
  expect(stderr).not.toContain("the-password");
});

test.for([
  ["migrate", "status"],
  ["backup", "--out", "b.tar"],
  ["ledger", "verify"],
])("`%s %s` exits with code 2 if no database is configured", async (line) => {
  expect(await run(line, { cwd: emptyFolder() })).toMatchObject({ code: 2, stdout: "" });
});

test("an import without a key exits with code 4", async () => {
  const line = ["import", "assistants", "--file", "export.json"];
  expect(await run(line)).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("TOLLGATE_API_KEY") });
});
