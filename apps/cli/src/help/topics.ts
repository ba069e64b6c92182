import { exitMeanings } from "../exit-codes.ts";
import { changeFlags, globalFlags, listFlags } from "../global-flags.ts";
import { settingNames } from "../settings/setting-names.ts";

/** Topics for `tollgate help <topic>`. */
export const topics: Readonly<Record<string, () => string>> = {
  "exit-codes": () =>
    [
      "All commands use the same exit codes:",
      "",
      ...Object.entries(exitMeanings).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`),
      "",
      "With --json, a failure is printed as one JSON object on standard error:",
      '  {"error":{"code","message","status","requestId","fix","docUrl","retryable"}}',
      "",
    ].join("\n"),
  environment: () =>
    [
      "Environment variables. A flag overrides its variable.",
      "",
      ...variables().map(([name, text]) => `  ${name.padEnd(25)}  ${text}`),
      "",
      "Secrets cannot be passed as flags. Use an environment variable, standard input, or the prompt.",
      "",
    ].join("\n"),
  formatting: () => FORMATTING,
  config: () => CONFIG,
};

function variables(): [string, string][] {
  const flags = Object.entries({ ...globalFlags, ...listFlags, ...changeFlags }).flatMap(([name, flag]) =>
    "env" in flag ? [[flag.env, `${flag.description}; same as --${name}`] as [string, string]] : [],
  );
  const settings = Object.entries(settingNames)
    .filter(([, { env }]) => !flags.some(([name]) => name === env))
    .map(([, { env, description }]) => [env, description] as [string, string]);
  return [
    ["TOLLGATE_TOKEN", "Management token for automation; overrides the stored credentials"],
    ["TOLLGATE_API_KEY", "API key for inference"],
    ["TOLLGATE_PASSWORD", "Password, for commands that require you to confirm it"],
    ["TOLLGATE_TOTP", "One-time code, for commands that require one"],
    ["TOLLGATE_PROVIDER_API_KEY", "Provider API key for tollgate admin providers create"],
    ...flags,
    ...settings,
    ["TOLLGATE_CONFIG_DIR", "Directory that contains config.toml and credentials.toml"],
    ["NO_COLOR, FORCE_COLOR", "Disable or force colors; TERM=dumb also disables them"],
    ["PAGER", "Pager for long lists; defaults to less -FIRX"],
  ];
}

const FORMATTING = `Data goes to standard output, messages to standard error.

  In a terminal, lists are aligned and columns that don't fit are hidden.
  When output is piped or redirected to a file, rows are tab-separated, without headers,
  and include all columns.

  --json            print JSON; lists are {"data":[…],"meta":{…}}
  --json=id,name    print only these fields
  --csv[=id,name]   print lists as CSV; cells that look like spreadsheet formulas are escaped
  --jq FILTER       apply a built-in subset of jq; strings are printed without quotes
  --quiet           suppress messages

Amounts in JSON are exact integers in nano-USD.

Filters support:
  .a.b   .[0]   .[-1]   .["a b"]   .[]            paths
  f | g   f, g                                    pipe, multiple outputs
  select(.a == "b" and .n > 3)                    == != < <= > >=, and, or, not
  map(f)   length   keys

  tollgate keys list --jq '.data[] | select(.status == "active") | .name'
`;

const CONFIG = `Settings are read from these sources, in order of precedence:

  1. a flag
  2. the environment
  3. the project file: the nearest .tollgate.toml in this directory or a parent
  4. your config.toml, in the section of the profile
  5. the built-in default

  tollgate config show --origin     show every value and its source
  tollgate config path              show the file paths
  tollgate config set url https://tollgate.example.org

config.toml:                          .tollgate.toml:
  profile = "work"                      profile = "work"
  [profiles.work]                       model = "example-large"
  url = "https://tollgate.example.org"
  org = "Acme"

Project files are shared, so they must not contain secrets, and secrets from the environment are not sent to a URL
that only a project file sets. Credentials are stored in credentials.toml, which only you can read. Each one is sent
only to the URL it was created for.
`;
