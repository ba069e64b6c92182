/** The token of a link that came by mail. It is behind the `#`, which is sent to no server. */
export function readLinkToken(): string | null {
  return new URLSearchParams(window.location.hash.slice(1)).get("token");
}
