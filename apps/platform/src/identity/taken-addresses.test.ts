import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { createPasswordHasher } from "../adapters/argon2-hasher.ts";
import { makeAddress, PASSWORD, startIdentity, withMail } from "./identity.fixture.ts";

const requests = [
  ["a sign-up", "/api/auth/sign-up", { password: PASSWORD }],
  ["a token", "/api/auth/token", { password: "not the password" }],
  ["a browser's session", "/api/auth/session", { password: "not the password" }],
  ["a token with a one-time code", "/api/auth/token", { password: "not the password", totp: "123456" }],
  ["a link for a new password", "/api/auth/password/forgot", {}],
] as const;

test.for(requests)(
  "with email verification, a request for %s requires the same number of hashes and gets the same response for taken and unused email addresses",
  async ([, path, fields], { database }) => {
    const real = createPasswordHasher();
    let hashes = 0;
    const counted =
      <Args extends unknown[], Value>(work: (...args: Args) => Promise<Value>) =>
      (...args: Args) => {
        hashes += 1;
        return work(...args);
      };
    const passwords = { ...real, hash: counted(real.hash), verify: counted(real.verify) };
    const platform = await startIdentity(database, {
      settings: withMail({ verifyEmail: true }),
      services: { passwords },
    });
    const { email: taken } = await platform.addUser({ email: makeAddress() });
    const ask = async (email: string) => {
      hashes = 0;
      const { status, body, headers } = await platform.api("POST", path, { body: { email, ...fields } });
      return { status, body: { ...body, requestId: null }, headers: [...headers.keys()], hashes };
    };
    const [known, fresh] = [await ask(taken), await ask(makeAddress())];
    expect(known).toEqual(fresh);
    expect(known.status).not.toBe(409);
  },
);
