import { formatUsd, type NanoUsd } from "@tollgate/domain/money.ts";
import { DEMO_DAYS, DEMO_KEYS, DEMO_ORGANIZATION, DEMO_TEAMS } from "../demo/demo-cast.ts";
import type { DetectedProvider } from "./dev-settings.ts";
import type { LocalCredentials } from "./local-credentials.ts";
import { LOCAL_ORGANIZATION } from "./seed-account.ts";

export interface BannerFacts {
  readonly version: string;
  readonly dataDir: string;
  readonly isNewData: boolean;
  readonly migrations: number;
  /** Available credit; null if billing is disabled. */
  readonly credit: NanoUsd | null;
  readonly providers: readonly DetectedProvider[];
  /** Number of requests in the demo's history; null without a demo. */
  readonly demoRequests: number | null;
  readonly baseUrl: string;
  readonly uiUrl: string;
  /** One-time sign-in link; null if it is unavailable. */
  readonly oneTimeUrl: string | null;
  readonly apiKey: string;
  readonly admin: LocalCredentials["admin"];
  readonly portNote: string | null;
}

/** Formats the startup banner: the URLs of the instance, the available models, and a command to try. */
export function formatBanner(facts: BannerFacts): string {
  const { baseUrl, demoRequests } = facts;
  const organization = demoRequests === null ? LOCAL_ORGANIZATION : DEMO_ORGANIZATION;
  const rows = [
    ["storage", `${facts.isNewData ? "embedded database at" : "using existing data in"} ${facts.dataDir}`],
    ["migrations", facts.migrations === 0 ? "up to date" : `${facts.migrations} applied`],
    ["providers", describeProviders(facts.providers)],
    ["account", `${facts.admin.email}, organization "${organization}", team "Default", one key`],
    ["credit", describeCredit(facts)],
    ...(demoRequests === null ? [] : [["demo", describeDemo(demoRequests)] as const]),
    ["listening", facts.portNote === null ? baseUrl : `${baseUrl}  (${facts.portNote})`],
  ] as const;
  return [
    "",
    `  tollgate ${facts.version} · development mode (this computer only)`,
    "",
    ...rows.map(([name, text]) => `  ✓ ${name.padEnd(12)} ${text}`),
    "",
    `  API     ${baseUrl}/v1`,
    ...describeConsole(facts),
    `  Models  ${facts.uiUrl}/model_hub_table`,
    `  Docs    ${baseUrl}/docs`,
    "",
    "  Try it (copy this):",
    "",
    `    curl ${baseUrl}/v1/chat/completions \\`,
    `      -H "x-gw-api-key: ${facts.apiKey}" -H "content-type: application/json" \\`,
    `      -d '{"model":"sim/echo","messages":[{"role":"user","content":"hello"}]}'`,
    "",
    "  Real models: set OPENAI_API_KEY and restart, or pass --config with a settings file.",
    `  Press Ctrl-C to stop. Data is stored in ${facts.dataDir} (delete it to start over).`,
    "",
    "",
  ].join("\n");
}

function describeConsole({ uiUrl, oneTimeUrl, admin }: BannerFacts): readonly string[] {
  const password = `${admin.email}  ${admin.password}`;
  if (oneTimeUrl === null) return [`  Admin   ${uiUrl}    sign in: ${password}`];
  return [
    `  Admin   ${uiUrl}    sign in: ${oneTimeUrl}   (valid 10 min, once)`,
    `          later, or for the API: ${password}`,
  ];
}

function describeCredit({ credit, isNewData }: BannerFacts): string {
  if (credit === null) return "disabled (billing.provider is off)";
  return isNewData ? `${formatUsd(credit)} USD, for paid models such as sim/paid` : `${formatUsd(credit)} USD left`;
}

function describeDemo(requests: number): string {
  return `${requests.toLocaleString("en-US")} requests in ${DEMO_DAYS} days, ${DEMO_TEAMS.length} teams, ${DEMO_KEYS.length} keys`;
}

function describeProviders(found: readonly DetectedProvider[]): string {
  if (found.length === 0) return "simulated (no provider keys found in the environment)";
  const named = found.map(({ name, variable, models }) => `${name} (${variable}, ${models} models)`);
  return [...named, "simulated"].join(", ");
}
