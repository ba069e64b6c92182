import { isLoopback } from "../participant/loopback.ts";

/** Validates a participant URL. Throws a TypeError that says what to change. */
export function readParticipantAddress(text: string, allowPlainHttp: boolean): URL {
  if (!URL.canParse(text)) throw new TypeError("A participant URL must look like https://host:5000.");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new TypeError("A participant URL must start with https:// or http://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("A participant URL must not contain a username or password; pass a token instead.");
  }
  if (url.search !== "" || url.hash !== "") throw new TypeError("A participant URL must not have a query or fragment.");
  if (url.protocol === "http:" && !allowPlainHttp && !isLoopback(url.hostname)) {
    throw new TypeError(`Plain HTTP to ${url.hostname} would expose the token and parameters; use https.`);
  }
  // Keep a path prefix, for participants behind a shared proxy.
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
