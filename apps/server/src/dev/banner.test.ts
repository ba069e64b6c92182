import { expect, test } from "vitest";
import { type BannerFacts, formatBanner } from "./banner.ts";

const facts: BannerFacts = {
  version: "1.2.3",
  dataDir: "./.tollgate",
  isNewData: true,
  migrations: 12,
  credit: 5_000_000_000n,
  providers: [],
  demoRequests: null,
  baseUrl: "http://127.0.0.1:4000",
  uiUrl: "http://127.0.0.1:4000/ui",
  oneTimeUrl: "http://127.0.0.1:4000/ui/once/7Q4K-M2XD",
  apiKey: "sk-tg-example",
  admin: { email: "dev@localhost", password: "a-generated-one" },
  portNote: null,
};

const creditRow = (changes: Partial<BannerFacts>) =>
  /✓ credit {7}(.+)/.exec(formatBanner({ ...facts, ...changes }))?.[1];

test("shows a new account its demo credit and suggests a paid model", () => {
  expect(creditRow({})).toBe("5 USD, for paid models such as sim/paid");
});

test("shows an existing account its exact remaining credit, even if negative", () => {
  expect(creditRow({ isNewData: false, credit: 4_999_982_001n })).toBe("4.999982001 USD left");
  expect(creditRow({ isNewData: false, credit: -1_500_000n })).toBe("-0.0015 USD left");
});

test("shows the size of a demo, and its organization", () => {
  const banner = formatBanner({ ...facts, demoRequests: 6_400 });
  expect(banner).toContain("✓ demo         6,400 requests in 30 days, 6 teams, 20 keys\n");
  expect(banner).toContain('organization "Acme"');
});

test("reports billing as disabled instead of showing a balance", () => {
  expect(creditRow({ credit: null })).toBe("disabled (billing.provider is off)");
});

test("the example command contains the key and calls the free model", () => {
  expect(formatBanner(facts)).toMatch(/x-gw-api-key: sk-tg-example.+"model":"sim\/echo"/s);
});

test("shows both the one-time sign-in link and the password", () => {
  const banner = formatBanner(facts);
  expect(banner).toContain(
    "Admin   http://127.0.0.1:4000/ui    sign in: http://127.0.0.1:4000/ui/once/7Q4K-M2XD   (valid 10 min, once)\n",
  );
  expect(banner).toContain("dev@localhost  a-generated-one\n");
  expect(formatBanner({ ...facts, oneTimeUrl: null })).not.toContain("/once/");
});
