import type { Flag } from "./command.ts";

/** Flags for every command. `--json` and `--csv` have optional values, so they are parsed separately. */
export const globalFlags = {
  profile: { type: "string", short: "p", value: "NAME", env: "TOLLGATE_PROFILE", description: "Connection profile" },
  url: { type: "string", value: "URL", env: "TOLLGATE_URL", description: "Platform URL" },
  "base-url": { type: "string", value: "URL", env: "TOLLGATE_BASE_URL", description: "Gateway URL" },
  org: {
    type: "string",
    short: "o",
    value: "ORG",
    env: "TOLLGATE_ORG",
    description: "Organization name or ID",
    completes: "orgs",
  },
  jq: {
    type: "string",
    value: "FILTER",
    description: "Filter the JSON output (implies --json); see tollgate help formatting",
  },
  quiet: { type: "boolean", short: "q", description: "Print data only, without messages" },
  verbose: { type: "boolean", short: "v", description: "Log the method, path, status, and request ID of each request" },
  debug: {
    type: "boolean",
    env: "TOLLGATE_DEBUG",
    description: "Also log request and response bodies, with secrets masked",
  },
  "no-color": { type: "boolean", env: "TOLLGATE_NO_COLOR", description: "Disable colors (also NO_COLOR, TERM=dumb)" },
  "no-pager": { type: "boolean", description: "Disable the pager (also TOLLGATE_PAGER, PAGER)" },
  timeout: { type: "number", value: "SECONDS", env: "TOLLGATE_TIMEOUT", description: "Timeout per request" },
  help: { type: "boolean", short: "h", description: "Show help" },
} as const satisfies Readonly<Record<string, Flag>>;

export const listFlags = {
  limit: { type: "number", short: "n", value: "ROWS", description: "Maximum number of rows" },
  page: { type: "number", value: "PAGE", description: "Page number, starting at 1" },
  "page-size": { type: "number", value: "ROWS", description: "Rows per page" },
  all: { type: "boolean", description: "Fetch all pages" },
} as const satisfies Readonly<Record<string, Flag>>;

export const changeFlags = {
  yes: { type: "boolean", short: "y", env: "TOLLGATE_YES", description: "Skip the confirmation prompt" },
  "dry-run": { type: "boolean", description: "Show the change without applying it" },
} as const satisfies Readonly<Record<string, Flag>>;
