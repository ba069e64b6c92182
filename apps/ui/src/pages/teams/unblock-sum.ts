const CENT = 10_000_000n;

/** Returns the amount that brings a negative balance to zero, in whole cents, the smallest unit that can be bought. */
export function neededToUnblock(balance: bigint): bigint {
  return balance >= 0n ? 0n : ((-balance + CENT - 1n) / CENT) * CENT;
}

/** Returns how long an amount will last after it covers the negative balance. */
export function lastsFor(amount: bigint, balance: bigint, perDay: bigint): string {
  const left = amount + (balance < 0n ? balance : 0n);
  if (left <= 0n) return "not enough";
  const days = Number((left * 10n) / perDay) / 10;
  return `${days.toLocaleString("en-US")} ${days === 1 ? "day" : "days"}`;
}
