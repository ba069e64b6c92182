import { expect, test } from "vitest";
import { nameClient } from "./name-client.ts";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`, "Chrome 142 on Linux"],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/141.0.1`,
    "Edge 141 on Windows",
  ],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140 on macOS"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604.1",
    "Safari 18 on iOS",
  ],
  ["tollgate-cli/1.4.0", "tollgate-cli/1.4.0"],
  [null, "Unknown"],
])("%s is displayed as %s", (userAgent, name) => {
  expect(nameClient(userAgent)).toBe(name);
});
