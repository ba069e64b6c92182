/** Returns the token in an emailed link. The token is in the URL fragment, which isn't sent to servers. */
export function readLinkToken(): string | null {
  return new URLSearchParams(window.location.hash.slice(1)).get("token");
}
