import { isLoopback } from "../participant/loopback.ts";

/** Checks where a participant is said to be. Throws a TypeError that says what to change. */
export function readParticipantAddress(text: string, allowPlainHttp: boolean): URL {
  if (!URL.canParse(text)) throw new TypeError("A participant's url looks like https://host:5000.");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new TypeError("A participant's url begins with https:// or http://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("A participant's url carries no user name or password; pass a token instead.");
  }
  if (url.search !== "" || url.hash !== "") throw new TypeError("A participant's url has no query and no fragment.");
  if (url.protocol === "http:" && !allowPlainHttp && !isLoopback(url.hostname)) {
    throw new TypeError(`Plain HTTP to ${url.hostname} would show token and parameters to the network: use https.`);
  }
  // A path in front is kept, for participants behind a proxy that serves several.
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
