/** All settings with their environment variables and defaults. */
export const settingNames = {
  url: { env: "TOLLGATE_URL", fallback: "http://127.0.0.1:4000", description: "Platform URL" },
  "base-url": {
    env: "TOLLGATE_BASE_URL",
    fallback: null,
    description: "Gateway URL; defaults to the platform URL",
  },
  org: { env: "TOLLGATE_ORG", fallback: null, description: "Organization name or ID" },
  output: { env: "TOLLGATE_OUTPUT", fallback: "table", description: "Output format: table or json" },
  model: { env: "TOLLGATE_MODEL", fallback: null, description: "Default chat model" },
  timeout: { env: "TOLLGATE_TIMEOUT", fallback: "30", description: "Timeout per request, in seconds" },
  pager: { env: "TOLLGATE_PAGER", fallback: null, description: "Pager for long lists" },
} as const;

export type SettingName = keyof typeof settingNames;

/** Aliases of settings. */
const otherNames: Readonly<Record<string, SettingName>> = { "api-url": "url", organization: "org" };

/** Returns the setting with this name in any spelling; null if the name is unknown. */
export function settingNamed(name: string): SettingName | null {
  const dashed = name.replaceAll("_", "-");
  const found = otherNames[dashed] ?? dashed;
  return found in settingNames ? (found as SettingName) : null;
}
