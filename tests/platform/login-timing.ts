/**
 * Measures whether the duration of a failed login reveals that an email address has an account. Prints the median and
 * the fastest tenth for each case in milliseconds, and the median difference within pairs, which is least affected by
 * other load on the machine: `node tests/platform/login-timing.ts [samples]`.
 */
import { createPasswordHasher } from "../../apps/platform/src/adapters/argon2-hasher.ts";
import { startTestPlatform } from "../../apps/platform/src/platform.fixture.ts";
import { cloneDatabase } from "../../packages/testkit/src/database.ts";

const SAMPLES = Number(process.argv[2] ?? 2_000);
const WARM_UP = 100;
/** One fewer than the number of attempts that locks an email address, so that every sample checks a password. */
const TRIES_PER_ADDRESS = 4;
const PASSWORD = "not the password of anyone";

const database = await cloneDatabase();
const platform = await startTestPlatform(database);
try {
  const passwordHash = await createPasswordHasher().hash("violets in the rain");
  const addresses = Math.ceil((SAMPLES + WARM_UP) / 2 / TRIES_PER_ADDRESS);
  const known: string[] = [];
  for (let index = 0; index < addresses; index += 1) known.push((await platform.addUser({ passwordHash })).email);
  const unknown = known.map((email) => email.replace("user-", "none-"));
  const times = { known: [] as number[], unknown: [] as number[] };
  const differences: number[] = [];
  for (let pair = 0; pair < (SAMPLES + WARM_UP) / 2; pair += 1) {
    const index = Math.floor(pair / TRIES_PER_ADDRESS);
    // Alternate the order, so that the order itself causes no difference.
    const order = pair % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const);
    const took = { known: 0, unknown: 0 };
    for (const kind of order) took[kind] = await timeLogin((kind === "known" ? known : unknown)[index] as string);
    if (pair < WARM_UP / 2) continue;
    times.known.push(took.known);
    times.unknown.push(took.unknown);
    differences.push(took.known - took.unknown);
  }
  const differenceMs = quantile(times.known, 0.5) - quantile(times.unknown, 0.5);
  const report = {
    samples: SAMPLES,
    medianMs: { known: quantile(times.known, 0.5), unknown: quantile(times.unknown, 0.5) },
    quickestTenthMs: { known: quantile(times.known, 0.1), unknown: quantile(times.unknown, 0.1) },
    differenceOfMediansMs: Number(differenceMs.toFixed(3)),
    medianDifferenceInPairsMs: quantile(differences, 0.5),
    isBelowOneMs: Math.abs(differenceMs) < 1,
  };
  console.log(JSON.stringify(report));
} finally {
  await platform.close();
  await database.drop();
}

async function timeLogin(email: string): Promise<number> {
  const startedAtMs = performance.now();
  const { status } = await platform.api("POST", "/api/auth/token", { body: { email, password: PASSWORD } });
  if (status !== 401) throw new Error(`a login was answered ${status}, not 401`);
  return performance.now() - startedAtMs;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(3));
}
