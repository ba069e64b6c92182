import { exitMeanings } from "../exit-codes.ts";
import { changeFlags, globalFlags, listFlags } from "../global-flags.ts";
import { settingNames } from "../settings/setting-names.ts";

/** What `tollgate help <topic>` explains. */
export const topics: Readonly<Record<string, () => string>> = {
  "exit-codes": () =>
    [
      "Exit codes, the same for every command:",
      "",
      ...Object.entries(exitMeanings).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`),
      "",
      "With --json a failure is one JSON object on standard error:",
      '  {"error":{"code","message","status","requestId","fix","docUrl","retryable"}}',
      "",
    ].join("\n"),
  environment: () =>
    [
      "Variables. A flag is stronger than its variable.",
      "",
      ...variables().map(([name, text]) => `  ${name.padEnd(25)}  ${text}`),
      "",
      "A secret is never a flag: it comes from the environment, from standard input or from a prompt.",
      "",
    ].join("\n"),
  formatting: () => FORMATTING,
  config: () => CONFIG,
};

function variables(): [string, string][] {
  const flags = Object.entries({ ...globalFlags, ...listFlags, ...changeFlags }).flatMap(([name, flag]) =>
    "env" in flag ? [[flag.env, `as --${name}: ${flag.description}`] as [string, string]] : [],
  );
  const settings = Object.entries(settingNames)
    .filter(([, { env }]) => !flags.some(([name]) => name === env))
    .map(([, { env, description }]) => [env, description] as [string, string]);
  return [
    ["TOLLGATE_TOKEN", "management token, for automation; the stored sign-in is not used then"],
    ["TOLLGATE_API_KEY", "inference key"],
    ["TOLLGATE_PASSWORD", "password where one is asked for again"],
    ["TOLLGATE_TOTP", "one-time code where one is asked for"],
    ["TOLLGATE_PROVIDER_API_KEY", "credential of a provider, for tollgate admin providers create"],
    ...flags,
    ...settings,
    ["TOLLGATE_CONFIG_DIR", "folder of config.toml and credentials.toml"],
    ["NO_COLOR, FORCE_COLOR", "colours off, on; TERM=dumb is off too"],
    ["PAGER", "program for long lists; less -FIRX when not set"],
  ];
}

const FORMATTING = `Data is on standard output, everything else on standard error.

  On a terminal lists are aligned, and columns that do not fit are left out.
  Into a pipe or file rows have tabs between them, no heading, and nothing is left out.

  --json            everything as JSON; lists as {"data":[…],"meta":{…}}
  --json=id,name    these fields only
  --csv[=id,name]   lists as CSV; cells that a spreadsheet would run are made plain text
  --jq FILTER       a part of jq, built in; text is printed without quotes
  --quiet           no messages

Amounts in JSON are whole nano-USD, exact to the last digit.

Filters know:
  .a.b   .[0]   .[-1]   .["a b"]   .[]            paths
  f | g   f, g                                    one after the other, both
  select(.a == "b" and .n > 3)                    == != < <= > >=, and, or, not
  map(f)   length   keys

  tollgate keys list --jq '.data[] | select(.status == "active") | .name'
`;

const CONFIG = `Where a setting comes from, strongest first:

  1. a flag
  2. the environment
  3. the project's file: the nearest .tollgate.toml from here upwards
  4. your file: config.toml, section of the profile
  5. what is built in

  tollgate config show --origin     every value and where it came from
  tollgate config path              where the files are
  tollgate config set url https://tollgate.example.org

config.toml:                          .tollgate.toml:
  profile = "work"                      profile = "work"
  [profiles.work]                       model = "example-large"
  url = "https://tollgate.example.org"
  org = "Acme"

A project's file is shared, so a secret in it is refused, and so is sending one from the environment to an address
that only such a file names. Sign-ins are kept in credentials.toml, which only you can read; each is sent to its own
address only.
`;
