import { format, inspect } from "node:util";
import { expect, test } from "vitest";
import { Secret } from "./secret.ts";

test("a secret is revealed only by reveal(), and never printed or serialized", () => {
  const secret = new Secret("sk-live-1");
  expect(secret.reveal()).toBe("sk-live-1");
  const printed = [
    `${secret}`,
    String(secret),
    JSON.stringify({ secret }),
    inspect(secret),
    inspect({ nested: [secret] }, { depth: 9, showHidden: true }),
    format("%s %o %j", secret, secret, secret),
    Object.keys(secret).join(),
    JSON.stringify(Object.getOwnPropertyDescriptors(secret)),
    JSON.stringify(structuredClone({ ...secret })),
  ];
  for (const text of printed) expect(text).not.toContain("sk-live-1");
});
