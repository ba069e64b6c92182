/** Everything that can be set, with how its flag, variable and entry in a file are called. */
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

/** The names people use for the same thing. */
const otherNames: Readonly<Record<string, SettingName>> = { "api-url": "url", organization: "org" };

/** The setting of this name, however it is spelt; null when there is none. */
export function settingNamed(name: string): SettingName | null {
  const dashed = name.replaceAll("_", "-");
  const found = otherNames[dashed] ?? dashed;
  return found in settingNames ? (found as SettingName) : null;
}
