const NANO_PER_USD = 1_000_000_000n;
const MILLION = 1_000_000n;

/** Formats a rate of the catalog in USD: per million tokens or characters, or per image, second, or call. */
export function formatRate(field: string, nanoPerMillion: bigint | null): string {
  if (nanoPerMillion === null) return "None";
  const isPerMillion = !/[Pp]er[A-Z]/.test(field) || field.startsWith("inputPerCharacter");
  if (isPerMillion) return `${toUsd(nanoPerMillion, NANO_PER_USD)} / M`;
  return `${toUsd(nanoPerMillion, NANO_PER_USD * MILLION)} each`;
}

function toUsd(amount: bigint, scale: bigint): string {
  const digits = scale.toString().length - 1;
  const fraction = (amount % scale).toString().padStart(digits, "0").replace(/0+$/, "").padEnd(2, "0");
  return `$${amount / scale}.${fraction}`;
}
