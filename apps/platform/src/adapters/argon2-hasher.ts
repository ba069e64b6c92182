import { hash, verify } from "@node-rs/argon2";
import { ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import type { PasswordHasher } from "../identity/password-hasher.ts";

// The library numbers its algorithms in an enum that this compiler setting cannot read.
const ARGON2ID = 2;
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
// Of nobody's password; made once so that an unknown address costs what a known one does.
const DUMMY = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const SLOTS = 2;
const MAX_WAITING = 32;

/** Argon2id on the thread pool, two at a time; a flood waits a little and is then told to come back. */
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
        // Accounts that were made without a password hold something else than a hash, which nothing matches.
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

function tooMany(): ManagementFailure {
  return new ManagementFailure("RATE_LIMITED", "Too many concurrent sign-ins. Try again.", { retryAfterSeconds: 1 });
}
