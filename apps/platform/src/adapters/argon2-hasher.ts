import { hash, verify } from "@node-rs/argon2";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { PasswordHasher } from "../identity/password-hasher.ts";

// Value of the library's const enum, which `verbatimModuleSyntax` can't import.
const ARGON2ID = 2;
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
// Dummy hash that makes checking an unknown email address take as long as checking a known one.
const DUMMY = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const SLOTS = 2;
const MAX_WAITING = 32;

/** Hashes with Argon2id on the thread pool, two at a time. Excess requests queue briefly, then get 429. */
export function createPasswordHasher(): PasswordHasher {
  const waiting: (() => void)[] = [];
  let free = SLOTS;
  const inSlot = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (free === 0) {
      if (waiting.length >= MAX_WAITING) throw tooMany();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
  let admitted = 0;
  return {
    admit: async (work) => {
      if (admitted >= SLOTS + MAX_WAITING) throw tooMany();
      admitted += 1;
      try {
        return await work();
      } finally {
        admitted -= 1;
      }
    },
    hash: (password) => inSlot(() => hash(password, PARAMETERS)),
    verify: (storedHash, password) =>
      inSlot(async () => {
        // Accounts created without a password store a value that isn't a hash, and no password matches it.
        const isHash = storedHash?.startsWith("$argon2id$") === true;
        const isRight = await verify(isHash ? storedHash : DUMMY, password);
        return isRight && isHash;
      }),
    isOutdated: (storedHash) => {
      const [, memory, time] = /\$m=(\d+),t=(\d+),/.exec(storedHash) ?? [];
      return Number(memory ?? 0) < PARAMETERS.memoryCost || Number(time ?? 0) < PARAMETERS.timeCost;
    },
  };
}

function tooMany(): Failure {
  return new Failure("RATE_LIMITED", "Too many concurrent sign-ins. Try again.", { retryAfterMs: 1_000 });
}
