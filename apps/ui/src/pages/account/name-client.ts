const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg\/(\d+)/, "Edge"],
  [/\bOPR\/(\d+)/, "Opera"],
  [/\bFirefox\/(\d+)/, "Firefox"],
  [/Chrome\/(\d+)/, "Chrome"],
  [/\bVersion\/(\d+).*Safari/, "Safari"],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

/** Returns a readable client name, such as Firefox 140 on Linux. For programs, returns the name that they send. */
export function nameClient(userAgent: string | null): string {
  if (userAgent === null || userAgent === "") return "Unknown";
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    const system = systems.find(([mark]) => mark.test(userAgent))?.[1];
    return `${name} ${version}${system === undefined ? "" : ` on ${system}`}`;
  }
  return userAgent;
}
