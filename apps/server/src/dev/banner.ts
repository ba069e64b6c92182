import { formatUsd, type NanoUsd } from "@tollgate/domain/money.ts";
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
  readonly baseUrl: string;
  readonly uiUrl: string;
  /** Code for the one-time sign-in link; null if the link is unavailable. */
  readonly oneTimeCode: string | null;
  readonly apiKey: string;
  readonly admin: LocalCredentials["admin"];
  readonly portNote: string | null;
}

/** Formats the startup banner: the URLs of the instance, the available models, and a command to try. */
export function formatBanner(facts: BannerFacts): string {
  const { baseUrl } = facts;
  const rows = [
    ["storage", `${facts.isNewData ? "embedded database at" : "using existing data in"} ${facts.dataDir}`],
    ["migrations", facts.migrations === 0 ? "up to date" : `${facts.migrations} applied`],
    ["providers", describeProviders(facts.providers)],
    ["account", `${facts.admin.email}, organization "${LOCAL_ORGANIZATION}", team "Default", one key`],
    ["credit", describeCredit(facts)],
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

function describeConsole({ uiUrl, oneTimeCode, admin }: BannerFacts): readonly string[] {
  const password = `${admin.email}  ${admin.password}`;
  if (oneTimeCode === null) return [`  Admin   ${uiUrl}    sign in: ${password}`];
  return [
    `  Admin   ${uiUrl}    sign in: ${uiUrl}/once/${oneTimeCode}   (valid 10 min, once)`,
    `          later, or for the API: ${password}`,
  ];
}

function describeCredit({ credit, isNewData }: BannerFacts): string {
  if (credit === null) return "disabled (billing.provider is off)";
  return isNewData ? `${formatUsd(credit)} USD, for paid models such as sim/paid` : `${formatUsd(credit)} USD left`;
}

function describeProviders(found: readonly DetectedProvider[]): string {
  if (found.length === 0) return "simulated (no provider keys found in the environment)";
  const named = found.map(({ name, variable, models }) => `${name} (${variable}, ${models} models)`);
  return [...named, "simulated"].join(", ");
}
