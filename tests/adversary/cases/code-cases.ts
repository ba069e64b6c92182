import { setTimeout as pause } from "node:timers/promises";
import { makeCode } from "@tollgate/domain/identity/one-time-code.ts";
import { openPlatform } from "../../chaos/stage/account.ts";
import { type Case, type CaseContext, type CaseOutcome, inBatches } from "../case.ts";
import { askOrThrow, askPlatform, cookiesOf, type Person, signUpPerson, tally } from "../client/ask-platform.ts";
import type { AdversaryStage } from "../stage/stage.ts";

const STEP_MS = 30_000;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Number of guesses that all unknown sources together get per hour, and that one login gets before it waits. */
const MAX_UNKNOWN = 20;
const MAX_PER_LOGIN = 5;
const TOGETHER = 10;
const HOME = "127.0.20.1";

export const codeCases: readonly Case[] = [
  {
    name: "code-guesses",
    promise: "Guesses of one-time codes from many addresses are limited per account, and the owner still signs in",
    guards: "row 9, decision 46",
    isQuick: true,
    run: guessFromManyAddresses,
  },
  {
    name: "code-sessions",
    promise: "A stolen token gets no more guesses by opening more sessions, and makes no device known",
    guards: "row 9, decision 91",
    isQuick: true,
    run: guessFromManySessions,
  },
  {
    name: "code-replays",
    promise: "A one-time code works once, also in parallel, and no earlier code works after it",
    guards: "row 9, decision 46",
    isQuick: true,
    run: replayCodes,
  },
];

/** A user with one-time codes, which were confirmed with the code of the step before `codeOf(0)`. */
interface Enrolled extends Person {
  /** Returns the code of a step, relative to the step of the enrollment. */
  readonly codeOf: (step: number) => string;
}

async function enroll(stage: AdversaryStage): Promise<Enrolled> {
  const person = await signUpPerson(stage, { from: HOME });
  const { body } = await askOrThrow(stage, "POST", "/api/auth/totp", { token: person.token, from: HOME });
  const secret = fromBase32(body.secret);
  // The platform accepts codes of the previous, the current, and the next step. The codes of a case are used within two
  // steps if the first step is not about to end.
  const leftMs = STEP_MS - (Date.now() % STEP_MS);
  if (leftMs < STEP_MS / 3) await pause(leftMs);
  const startedAtMs = Date.now();
  const codeOf = (step: number) => makeCode(secret, new Date(startedAtMs + step * STEP_MS));
  const confirm = { token: person.token, from: HOME, body: { code: codeOf(-1) } };
  await askOrThrow(stage, "POST", "/api/auth/totp/confirm", confirm);
  return { ...person, codeOf };
}

const logIn = (stage: AdversaryStage, { email, password }: Person, totp: string, from: string, cookie?: string) =>
  askPlatform(stage, "POST", "/api/auth/session", {
    from,
    body: { email, password, totp },
    ...(cookie !== undefined && { headers: { cookie } }),
  });

async function guessFromManyAddresses({ stage, random, isQuick }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const owner = await enroll(stage);
  const first = await logIn(stage, owner, owner.codeOf(0), HOME);
  const device = `tollgate_device=${cookiesOf(first).get("tollgate_device")}`;
  const real = new Set([-1, 0, 1, 2].map(owner.codeOf));
  const guesses = Array.from({ length: isQuick ? 30 : 60 }, (_, index) => ({
    from: `127.0.${21 + (index % 3)}.${1 + index}`,
    code: wrongCode(real, random.integer(0, 999_999)),
  }));
  // The attacker knows the password, so that only the code is missing.
  const replies = await inBatches(guesses, TOGETHER, ({ from, code }) => logIn(stage, owner, code, from));
  const counts = tally(replies);
  const checked = counts["401 BAD_CREDENTIALS"] ?? 0;
  const problems: string[] = [];
  if (checked > MAX_UNKNOWN) problems.push(`${checked} guesses were checked`);
  const refused = counts["429 LOGIN_LOCKED"] ?? 0;
  if (checked + refused !== guesses.length) problems.push(`guesses were answered ${JSON.stringify(counts)}`);
  // The right code from an unknown address must not reveal itself either.
  const right = await logIn(stage, owner, owner.codeOf(1), "127.0.24.1");
  if (right.reason !== "LOGIN_LOCKED") problems.push(`the right code from a locked source got ${right.status}`);
  const away = await logIn(stage, owner, owner.codeOf(1), "127.0.24.2", device);
  if (away.status !== 204) problems.push(`the owner's device was answered ${away.status} ${away.reason}`);
  return { calls: [], problems, figures: { guessesFromAddresses: checked } };
}

async function guessFromManySessions({ stage, random, isQuick }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const owner = await enroll(stage);
  const real = new Set([-1, 0, 1, 2].map(owner.codeOf));
  const problems: string[] = [];
  const sessions = Array.from({ length: isQuick ? 8 : 20 }, (_, index) => `127.0.25.${1 + index}`);
  const replies = await inBatches(sessions, TOGETHER, async (from) => {
    const { headers } = await askOrThrow(stage, "POST", "/api/auth/session", { token: owner.token, from, body: {} });
    const cookies = cookiesOf({ headers });
    if (cookies.has("tollgate_device")) problems.push("a token made a device known");
    const token = cookies.get("tollgate_session") ?? "";
    const guess = () => {
      const body = { password: owner.password, totp: wrongCode(real, random.integer(0, 999_999)) };
      return askPlatform(stage, "POST", "/api/auth/reauthenticate", { token, from, body });
    };
    return [await guess(), await guess()];
  });
  const counts = tally(replies.flat());
  const checked = counts["401 BAD_CREDENTIALS"] ?? 0;
  if (checked > MAX_PER_LOGIN) problems.push(`${checked} guesses were checked`);
  if (checked + (counts["429 LOGIN_LOCKED"] ?? 0) !== sessions.length * 2) {
    problems.push(`guesses were answered ${JSON.stringify(counts)}`);
  }
  // The owner's own login, and a password entry in its session, are not affected.
  const again = await askPlatform(stage, "POST", "/api/auth/token", {
    from: HOME,
    body: { email: owner.email, password: owner.password, totp: owner.codeOf(0) },
  });
  if (again.status !== 200) problems.push(`the owner's login was answered ${again.status} ${again.reason}`);
  const confirmed = await askPlatform(stage, "POST", "/api/auth/reauthenticate", {
    token: again.body.token,
    from: HOME,
    body: { password: owner.password, totp: owner.codeOf(1) },
  });
  if (confirmed.status !== 204) problems.push(`the owner's password was answered ${confirmed.status}`);
  return { calls: [], problems, figures: { guessesFromSessions: checked } };
}

async function replayCodes({ stage }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const owner = await enroll(stage);
  const problems: string[] = [];
  const use = async (what: string, step: number, count: number, expected: readonly number[]) => {
    const logIns = Array.from({ length: count }, () => logIn(stage, owner, owner.codeOf(step), HOME));
    const statuses = (await Promise.all(logIns)).map(({ status }) => status).toSorted((one, other) => one - other);
    if (statuses.join() !== expected.join()) problems.push(`${what} was answered ${statuses.join()}`);
  };
  await use("the code that confirmed the setup", -1, 1, [401]);
  await use("one code, three times in parallel", 0, 3, [204, 401, 401]);
  await use("the used code", 0, 1, [401]);
  await use("the next code", 1, 1, [204]);
  await use("the code of the step before", 0, 1, [401]);
  await use("the code of two steps before", -1, 1, [401]);
  return { calls: [], problems };
}

/** Returns a code near the given one that is not among the real codes. */
function wrongCode(real: ReadonlySet<string>, near: number): string {
  for (let number = near; ; number = (number + 1) % 1_000_000) {
    const code = String(number).padStart(6, "0");
    if (!real.has(code)) return code;
  }
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
