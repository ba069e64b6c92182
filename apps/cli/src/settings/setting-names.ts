/** Everything that can be set, with how its flag, variable and entry in a file are called. */
export const settingNames = {
  url: { env: "TOLLGATE_URL", fallback: "http://127.0.0.1:4000", description: "platform address" },
  "base-url": {
    env: "TOLLGATE_BASE_URL",
    fallback: null,
    description: "inference address; the platform's when not set",
  },
  org: { env: "TOLLGATE_ORG", fallback: null, description: "organization, by name or id" },
  output: { env: "TOLLGATE_OUTPUT", fallback: "table", description: "table or json" },
  model: { env: "TOLLGATE_MODEL", fallback: null, description: "model of chat when none is named" },
  timeout: { env: "TOLLGATE_TIMEOUT", fallback: "30", description: "seconds for each request" },
  pager: { env: "TOLLGATE_PAGER", fallback: null, description: "program for long lists" },
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
