import type { Member } from "../run-events.ts";

/**
 * Computes each member's share of the mean. No share exceeds `maxShare`, so that an inflated example count cannot take
 * over the model. The excess is distributed by weight, repeatedly, until no share exceeds the cap. If there are too
 * few members for the cap, they share equally.
 */
export function shareWeights(
  members: readonly { readonly participant: string; readonly weight: number }[],
  maxShare: number,
): Member[] {
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  const weighted = total > 0 ? members : members.map((member) => ({ ...member, weight: 1 }));
  const capped = findCapped(weighted, maxShare);
  if (capped.size === 0) {
    const sum = total > 0 ? total : members.length;
    return weighted.map((member) => ({ ...member, share: member.weight / sum, capped: false }));
  }
  const counted = weighted.filter(({ weight }) => weight > 0);
  if (counted.length * maxShare <= 1) {
    return weighted.map(({ participant, weight }) => ({
      participant,
      weight: weight > 0 ? 1 : 0,
      share: weight > 0 ? 1 / counted.length : 0,
      capped: weight / total > 1 / counted.length,
    }));
  }
  const rest = weighted.reduce((sum, { participant, weight }) => sum + (capped.has(participant) ? 0 : weight), 0);
  const left = 1 - maxShare * capped.size;
  return weighted.map(({ participant, weight }) => {
    const share = capped.has(participant) ? maxShare : left * (weight / rest);
    return { participant, weight: share, share, capped: capped.has(participant) };
  });
}

function findCapped(
  members: readonly { readonly participant: string; readonly weight: number }[],
  maxShare: number,
): Set<string> {
  const capped = new Set<string>();
  for (;;) {
    const free = members.filter(({ participant }) => !capped.has(participant));
    const sum = free.reduce((total, { weight }) => total + weight, 0);
    const left = 1 - maxShare * capped.size;
    const above = free.filter(({ weight }) => weight > 0 && left * (weight / sum) > maxShare);
    if (above.length === 0) return capped;
    for (const { participant } of above) capped.add(participant);
  }
}
