import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apps } from "@tollgate/server/operate-apps.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configCheck } from "./config-check.ts";
import { configConvert } from "./config-convert.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "tollgate-check-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

async function run(
  command: typeof configCheck,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  const stdout = { write: (text: string) => (out += text) };
  const stderr = { write: (text: string) => (err += text) };
  const code = await command(args, { stdout, stderr, env, cwd, apps });
  return { code, out, err };
}

const valid = `model_list: [{model_name: gpt, litellm_params: {model: gpt-4o, api_key: os.environ/KEY}}]
litellm_settings: {drop_params: true, set_verbose: true}
`;
const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text);

test("checks the folder's tollgate.yaml and reports to standard output", async () => {
  write("tollgate.yaml", valid);
  const { code, out, err } = await run(configCheck, [], { KEY: "k" });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("LiteLLM configuration detected\n");
  expect(out).toContain(
    "  ! tollgate.yaml:2  litellm_settings.set_verbose            use TOLLGATE_LOG_LEVEL instead\n",
  );
});

test("reports problems to standard error with the command to rerun the check, and exits with 2", async () => {
  write("config.yaml", valid);
  const { code, out, err } = await run(configCheck, ["--config", "config.yaml"], { KEYS: "k" });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toBe(`✗ config.yaml has 1 problem

  config.yaml:1:73  api_key: os.environ/KEY
                 the environment variable is not set. Similar and set: KEYS

  Check again with:  tollgate config check --config config.yaml
`);
});

test("TOLLGATE_CONFIG selects the file, and --config takes precedence", async () => {
  write("good.yaml", "billing: {}");
  expect((await run(configCheck, [], { TOLLGATE_CONFIG: "gone.yaml" })).code).toBe(2);
  expect((await run(configCheck, ["--config", "good.yaml"], { TOLLGATE_CONFIG: "gone.yaml" })).code).toBe(0);
});

test("reports the default settings as valid if there is no file", async () => {
  expect(await run(configCheck, [])).toEqual({
    code: 0,
    out: "✓ no tollgate.yaml found: all settings use their defaults\n",
    err: "",
  });
});

test("--json prints the findings as JSON, with or without problems", async () => {
  write("tollgate.yaml", valid);
  const good = await run(configCheck, ["--json"], { KEY: "k" });
  expect({ ...good, out: JSON.parse(good.out) }).toMatchObject({
    code: 0,
    err: "",
    out: { ok: true, files: ["tollgate.yaml"], isLitellm: true, deployments: 1, groups: 1, problems: [] },
  });
  const bad = await run(configCheck, ["--json"]);
  expect({ ...bad, out: JSON.parse(bad.out) }).toMatchObject({
    code: 2,
    err: "",
    out: { ok: false, problems: [{ file: "tollgate.yaml", line: 1, path: "model_list[0].litellm_params.api_key" }] },
  });
});

test("rejects an unknown flag with the usage text, and prints help with --help", async () => {
  const { code, err } = await run(configCheck, ["--cofnig", "x"]);
  expect(code).toBe(2);
  expect(err).toContain("--config FILE");
  expect(await run(configCheck, ["--help"])).toMatchObject({ code: 0, err: "" });
});

test("a converted file passes the check, and an invalid file isn't converted", async () => {
  write("config.yaml", valid);
  const converted = await run(configConvert, ["config.yaml"], { KEY: "k" });
  expect(converted).toMatchObject({ code: 0, err: "" });
  write("tollgate.yaml", converted.out);
  expect((await run(configCheck, [], { KEY: "k" })).out).toContain("✓ tollgate.yaml is valid");
  expect((await run(configConvert, ["config.yaml"])).code).toBe(2);
  expect((await run(configConvert, [])).err).toContain("tollgate config convert config.yaml > tollgate.yaml");
});
