import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { describe, expect } from "vitest";
import { createPasswordHasher } from "../adapters/argon2-hasher.ts";
import type { TestPlatform } from "../platform.fixture.ts";
import { makeAddress, PASSWORD, signUpUser, startIdentity } from "./identity.fixture.ts";
import type { PasswordHasher } from "./password-hasher.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const HOME = "203.0.113.7";

/** Password hashing is slow by design, and these tests send hundreds of passwords. */
const quickPasswords: PasswordHasher = {
  ...createPasswordHasher(),
  hash: async (password) => `plain ${password}`,
  verify: async (hash, password) => hash === `plain ${password}`,
  isOutdated: () => false,
};

/** Starts a platform behind a proxy, so that tests can send logins from any IP address. */
const start = (database: TestDatabase) =>
  startIdentity(database, { settings: { trustedProxies: ["127.0.0.1"] }, services: { passwords: quickPasswords } });

interface From {
  readonly ip?: string;
  readonly cookie?: string;
  readonly totp?: string;
}

const logIn = (platform: TestPlatform, email: string, password: string, { ip = HOME, cookie, ...more }: From = {}) =>
  platform.api("POST", "/api/auth/session", {
    body: { email, password, ...more },
    headers: { "x-forwarded-for": ip, ...(cookie !== undefined && { cookie }) },
  });
const guess = (platform: TestPlatform, email: string, from?: From) => logIn(platform, email, "not the password", from);
const deviceOf = ({ headers }: { readonly headers: Headers }): string =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("tollgate_device="))
    ?.split(";")[0] ?? "";
const waitOf = ({ headers }: { readonly headers: Headers }): number => Number(headers.get("retry-after"));
const locked = { status: 429, body: { code: "FORBIDDEN", details: { reason: "LOGIN_LOCKED" } } };

/** Sends wrong passwords from one IP address until the login is locked. Returns the number of attempts. */
async function guessUntilLocked(platform: TestPlatform, email: string, from?: From): Promise<number> {
  for (let answered = 0; ; answered += 1) {
    if ((await guess(platform, email, from)).status === 429) return answered;
  }
}

/** Uses up the hourly attempts allowed for unknown sources, from as many IP addresses as needed. */
async function exhaustUnknown(platform: TestPlatform, email: string): Promise<number> {
  let answered = 0;
  for (let source = 1; source <= 8; source += 1) {
    answered += await guessUntilLocked(platform, email, { ip: `198.51.100.${source}` });
  }
  return answered;
}

test("after five wrong passwords, each further wrong password doubles the source's lock time, up to 15 minutes", async ({
  database,
}) => {
  const platform = await start(database);
  const { email } = await signUpUser(platform);
  for (const address of [email, makeAddress()]) {
    expect(await guessUntilLocked(platform, address)).toBe(5);
    const waits: number[] = [];
    for (let tries = 0; tries < 7; tries += 1) {
      // The correct password is refused too, so that the lock doesn't reveal whether a guess was correct.
      const refused = await logIn(platform, address, PASSWORD);
      expect(refused).toMatchObject(locked);
      waits.push(waitOf(refused));
      platform.advance(waitOf(refused) * SECOND + 1);
      expect((await guess(platform, address)).status).toBe(401);
    }
    expect(waits.map((wait) => Math.round(wait / 10) * 10)).toEqual([30, 60, 120, 240, 480, 900, 900]);
  }
});

test("a successful login or a day without failures resets a source's counter", async ({ database }) => {
  const platform = await start(database);
  const { email } = await signUpUser(platform);
  for (let failures = 0; failures < 4; failures += 1) await guess(platform, email);
  expect((await logIn(platform, email, PASSWORD)).status).toBe(204);
  expect(await guessUntilLocked(platform, email)).toBe(5);
  platform.advance(25 * HOUR);
  expect(await guessUntilLocked(platform, email)).toBe(5);
});

test("at most five concurrent guesses are checked, and then even the correct password is rejected", async ({
  database,
}) => {
  const platform = await start(database);
  const { email } = await signUpUser(platform);
  const guesses = Array.from({ length: 20 }, () => guess(platform, email));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  expect((await logIn(platform, email, PASSWORD)).status).toBe(429);
});

describe("guessed passwords", () => {
  test("lock only the IP address that they come from, not the owner's", async ({ database }) => {
    const platform = await start(database);
    const { email } = await signUpUser(platform);
    expect((await logIn(platform, email, PASSWORD)).status).toBe(204);
    await guessUntilLocked(platform, email, { ip: "198.51.100.1" });
    expect(await logIn(platform, email, PASSWORD, { ip: "198.51.100.1" })).toMatchObject(locked);
    expect((await logIn(platform, email, PASSWORD)).status).toBe(204);
    expect((await logIn(platform, email, PASSWORD, { ip: "192.0.2.9" })).status).toBe(204);
  });

  test("from many IP addresses are limited to 20 per hour and lock out neither known devices nor known addresses", async ({
    database,
  }) => {
    const platform = await start(database);
    const { email } = await signUpUser(platform);
    const device = deviceOf(await logIn(platform, email, PASSWORD));
    expect(await exhaustUnknown(platform, email)).toBe(20);
    expect(await logIn(platform, email, PASSWORD, { ip: "192.0.2.9" })).toMatchObject(locked);
    // A login with the device cookie works from any IP address. A login without it works from the IP address of a
    // recent session.
    expect((await logIn(platform, email, PASSWORD, { ip: "192.0.2.10", cookie: device })).status).toBe(204);
    expect((await logIn(platform, email, PASSWORD)).status).toBe(204);
    platform.advance(HOUR);
    expect((await logIn(platform, email, PASSWORD, { ip: "192.0.2.9" })).status).toBe(204);
  });

  test("from the owner's IP address do not lock out the owner's device", async ({ database }) => {
    const platform = await start(database);
    const { email } = await signUpUser(platform);
    const device = deviceOf(await logIn(platform, email, PASSWORD));
    await guessUntilLocked(platform, email);
    expect(await logIn(platform, email, PASSWORD)).toMatchObject(locked);
    expect((await logIn(platform, email, PASSWORD, { cookie: device })).status).toBe(204);
  });

  test("do not lock out a signed-in user who enters the password again", async ({ database }) => {
    const platform = await start(database);
    const { email, token } = await signUpUser(platform);
    await exhaustUnknown(platform, email);
    const again = (password: string) => platform.api("POST", "/api/auth/reauthenticate", { token, body: { password } });
    expect((await again(PASSWORD)).status).toBe(204);
    // Each session has a separate counter, so that a stolen session can't be used for unlimited guesses.
    for (let failures = 0; failures < 5; failures += 1) expect((await again("not the password")).status).toBe(401);
    expect(await again(PASSWORD)).toMatchObject(locked);
  });
});

describe("a device", () => {
  test("is locked only by wrong passwords that were entered on it", async ({ database }) => {
    const platform = await start(database);
    const { email } = await signUpUser(platform);
    const [first, second] = [
      deviceOf(await logIn(platform, email, PASSWORD)),
      deviceOf(await logIn(platform, email, PASSWORD)),
    ];
    expect(await guessUntilLocked(platform, email, { cookie: first })).toBe(5);
    expect(await logIn(platform, email, PASSWORD, { cookie: first })).toMatchObject(locked);
    expect((await logIn(platform, email, PASSWORD, { cookie: second })).status).toBe(204);
  });

  test("is known only for the accounts that signed in on it", async ({ database }) => {
    const platform = await start(database);
    const [ada, bob] = [await signUpUser(platform), await signUpUser(platform)];
    const adas = deviceOf(await logIn(platform, ada.email, PASSWORD));
    await exhaustUnknown(platform, bob.email);
    expect(await logIn(platform, bob.email, PASSWORD, { ip: "192.0.2.1", cookie: adas })).toMatchObject(locked);
    platform.advance(HOUR);
    const both = deviceOf(await logIn(platform, bob.email, PASSWORD, { ip: "192.0.2.1", cookie: adas }));
    for (const { email } of [ada, bob]) {
      await exhaustUnknown(platform, email);
      expect((await logIn(platform, email, PASSWORD, { ip: "192.0.2.2", cookie: both })).status).toBe(204);
    }
  });

  test("is no longer known if its cookie is modified or half a year old, or if the password changed", async ({
    database,
  }) => {
    const platform = await start(database);
    const { email, token } = await signUpUser(platform);
    const device = deviceOf(await logIn(platform, email, PASSWORD));
    const flipped = device.slice(0, -1) + (device.endsWith("A") ? "B" : "A");
    await exhaustUnknown(platform, email);
    const away = (cookie: string, password = PASSWORD) => logIn(platform, email, password, { ip: "192.0.2.1", cookie });
    for (const cookie of [flipped, "tollgate_device=", `${device}.x`]) {
      expect(await away(cookie), cookie).toMatchObject(locked);
    }
    const newPassword = "lilies in the snow";
    const changed = { currentPassword: PASSWORD, newPassword };
    expect((await platform.api("POST", "/api/auth/password", { token, body: changed })).status).toBe(200);
    expect(await away(device, newPassword)).toMatchObject(locked);
    platform.advance(HOUR);
    const next = deviceOf(await away(device, newPassword));
    platform.advance(181 * 24 * HOUR);
    await exhaustUnknown(platform, email);
    expect(await away(next, newPassword)).toMatchObject(locked);
  });
});

describe("a stolen token", () => {
  /** Opens a session with a token, as the CLI does for the browser. Returns the cookies that it sets. */
  const openByToken = async (platform: TestPlatform, token: string, ip: string) => {
    const headers = { "x-forwarded-for": ip };
    const { status, headers: answered } = await platform.api("POST", "/api/auth/session", { token, body: {}, headers });
    expect(status).toBe(204);
    return answered.getSetCookie().map((cookie) => cookie.split(";")[0] as string);
  };

  test("gets no more guesses by opening more sessions", async ({ database }) => {
    const platform = await start(database);
    const { token } = await signUpUser(platform);
    const statuses: number[] = [];
    for (let opened = 0; opened < 4; opened += 1) {
      const [session = ""] = await openByToken(platform, token, HOME);
      for (let guesses = 0; guesses < 4; guesses += 1) {
        const { status } = await platform.api("POST", "/api/auth/reauthenticate", {
          token: session.slice(session.indexOf("=") + 1),
          body: { password: `guess ${opened} ${guesses}` },
        });
        statuses.push(status);
      }
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(11);
  });

  test("makes neither a device nor a network known", async ({ database }) => {
    const platform = await start(database);
    const { email, token } = await signUpUser(platform);
    const away = "198.51.100.99";
    const cookies = await openByToken(platform, token, away);
    expect(cookies.filter((cookie) => cookie.startsWith("tollgate_device="))).toEqual([]);
    await exhaustUnknown(platform, email);
    expect(await guess(platform, email, { ip: away })).toMatchObject(locked);
  });

  test("does not make a network known by ending the session of the login", async ({ database }) => {
    const platform = await start(database);
    const { email, token } = await signUpUser(platform);
    const away = "198.51.100.99";
    await openByToken(platform, token, away);
    expect((await platform.api("POST", "/api/auth/logout", { token, body: {} })).status).toBe(204);
    await exhaustUnknown(platform, email);
    expect(await guess(platform, email, { ip: away })).toMatchObject(locked);
  });
});
