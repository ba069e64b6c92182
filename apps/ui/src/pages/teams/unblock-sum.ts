const CENT = 10_000_000n;

/** What must come in before a negative balance is zero, in whole cents, since nothing smaller can be bought. */
export function neededToUnblock(balance: bigint): bigint {
  return balance >= 0n ? 0n : ((-balance + CENT - 1n) / CENT) * CENT;
}

/** How long an amount would last once the debt is paid from it. */
export function lastsFor(amount: bigint, balance: bigint, perDay: bigint): string {
  const left = amount + (balance < 0n ? balance : 0n);
  if (left <= 0n) return "not enough";
  const days = Number((left * 10n) / perDay) / 10;
  return `${days.toLocaleString("en-US")} ${days === 1 ? "day" : "days"}`;
}
