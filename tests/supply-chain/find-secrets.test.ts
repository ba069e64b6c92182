import { expect, test } from "vitest";
import { findSecrets } from "../../scripts/supply-chain/find-secrets.ts";

/**
 * Returns fixed letters and digits that look random. They are generated, so that this file itself contains no secret.
 */
const letters = (length: number): string =>
  Array.from({ length }, (_, index) => "qZ7mK2xR9vTb4LwYc8Hn"[(index * 7 + (index >> 2)) % 20]).join("");

const secrets = {
  "AWS access key": `AKIA${letters(16).toUpperCase()}`,
  "OpenAI key": `sk-proj-${letters(24)}T3Blbk${"FJ"}${letters(24)}`,
  "Anthropic key": `sk-ant-${"api03"}-${letters(90)}`,
  "Google key": `AI${"za"}${letters(35)}`,
  "Stripe key": `sk_${"live"}_${letters(24)}`,
  "GitHub token": `ghp${"_"}${letters(36)}`,
  "npm token": `npm${"_"}${letters(36)}`,
  "own key": `sk-${"tg"}-${letters(48)}`,
  "private key": `-----BEGIN ${"PRIVATE"} KEY-----\n${letters(120)}\n-----END`,
};

test.each(Object.entries(secrets))("rejects a file with a %s without showing the secret", (_, secret) => {
  const [problem = "nothing was found"] = findSecrets("a.env", `first line\nKEY="${secret}"\n`);
  expect(problem).toMatch(/^a\.env:2 has what looks like an? |^a\.env:2 has what looks like one of our own/);
  expect(problem).not.toContain(secret);
});

test.each([
  "sk-tg-…",
  "sk-ant-placeholder",
  "AKIAIOSFODNN7EXAMPLE",
  `sk-tg-${"a".repeat(48)}`,
  "npm_config_registry",
  "-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----",
])("%s is an example, not a secret", (text) => {
  expect(findSecrets("README.md", text)).toEqual([]);
});
