/** Returns the URL for local access. Replaces a wildcard address with the loopback address. */
export function localUrl(host: string, port: number, speaksTls: boolean): string {
  const named = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `${speaksTls ? "https" : "http"}://${named.includes(":") ? `[${named}]` : named}:${port}`;
}
