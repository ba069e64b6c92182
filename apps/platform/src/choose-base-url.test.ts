import { expect, test } from "vitest";
import { chooseBaseUrl } from "./choose-base-url.ts";

const unset = { publicUrl: null, rootPath: "/x" };

test("the configured address wins over whatever a request was sent to", () => {
  expect(chooseBaseUrl({ publicUrl: "https://gate.example/x", rootPath: "/x" }, "evil.example")).toBe(
    "https://gate.example/x",
  );
  expect(chooseBaseUrl(unset, "127.0.0.1:4000")).toBe("http://127.0.0.1:4000/x");
});

test.for([undefined, "a.example:99999", "999.999.999.999", "[::::]", ""])(
  "what is no host of any address is not made one: %s",
  (host) => {
    expect(chooseBaseUrl(unset, host)).toBe("http://localhost/x");
  },
);
