import type { Flag } from "./command.ts";

/** Flags of every command. `--json` and `--csv` may have a value, so they are read apart. */
export const globalFlags = {
  profile: { type: "string", short: "p", value: "NAME", env: "TOLLGATE_PROFILE", description: "named connection" },
  url: { type: "string", value: "URL", env: "TOLLGATE_URL", description: "platform address" },
  "base-url": { type: "string", value: "URL", env: "TOLLGATE_BASE_URL", description: "inference address" },
  org: {
    type: "string",
    short: "o",
    value: "ORG",
    env: "TOLLGATE_ORG",
    description: "organization, by name or id",
    completes: "orgs",
  },
  jq: {
    type: "string",
    value: "FILTER",
    description: "filter the JSON (implies --json); see tollgate help formatting",
  },
  quiet: { type: "boolean", short: "q", description: "no messages, only data" },
  verbose: { type: "boolean", short: "v", description: "show method, path, status and request id" },
  debug: { type: "boolean", env: "TOLLGATE_DEBUG", description: "also bodies, secrets masked" },
  "no-color": { type: "boolean", env: "TOLLGATE_NO_COLOR", description: "no colours (also NO_COLOR, TERM=dumb)" },
  "no-pager": { type: "boolean", description: "never page (also TOLLGATE_PAGER, PAGER)" },
  timeout: { type: "number", value: "SECONDS", env: "TOLLGATE_TIMEOUT", description: "for each request" },
  help: { type: "boolean", short: "h", description: "show help" },
} as const satisfies Readonly<Record<string, Flag>>;

export const listFlags = {
  limit: { type: "number", short: "n", value: "ROWS", description: "at most so many rows" },
  page: { type: "number", value: "PAGE", description: "this page, from 1" },
  "page-size": { type: "number", value: "ROWS", description: "rows of a page" },
  all: { type: "boolean", description: "every page" },
} as const satisfies Readonly<Record<string, Flag>>;

export const changeFlags = {
  yes: { type: "boolean", short: "y", env: "TOLLGATE_YES", description: "do not ask" },
  "dry-run": { type: "boolean", description: "show the change, make none" },
} as const satisfies Readonly<Record<string, Flag>>;
