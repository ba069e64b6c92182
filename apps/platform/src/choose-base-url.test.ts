import { expect, test } from "vitest";
import { chooseBaseUrl } from "./choose-base-url.ts";

const unset = { publicUrl: null, rootPath: "/x" };

test("the configured public URL takes precedence over the Host header", () => {
  expect(chooseBaseUrl({ publicUrl: "https://gate.example/x", rootPath: "/x" }, "evil.example")).toBe(
    "https://gate.example/x",
  );
  expect(chooseBaseUrl(unset, "127.0.0.1:4000")).toBe("http://127.0.0.1:4000/x");
});

test.for([undefined, "a.example:99999", "999.999.999.999", "[::::]", ""])(
  "falls back to localhost for an invalid Host header: %s",
  (host) => {
    expect(chooseBaseUrl(unset, host)).toBe("http://localhost/x");
  },
);
