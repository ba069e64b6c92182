/**
 * Creates a function that reports whether this instance serves the host in a Host header. An empty list allows any
 * host.
 */
export function createHostCheck(allowed: readonly string[]): (host: string) => boolean {
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  if (names.size === 0) return (host) => host.length <= MAX_HOST_LENGTH && wellFormed.test(host);
  return (host) => names.has(withoutPort(host).toLowerCase()) || names.has(host.toLowerCase());
}

const MAX_HOST_LENGTH = 261;
const wellFormed = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

function withoutPort(host: string): string {
  const match = /^(.*?)(?::\d{1,5})?$/.exec(host);
  return match?.[1] ?? host;
}
