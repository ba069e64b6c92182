import { type BillingUnit, billingUnits } from "@tollgate/domain/pricing/billing-units.ts";

/** Plain tokens, which every record has. */
const plain = billingUnits.filter(({ since }) => since === 1);
/** Counters that are written together, announced by one flag. */
const together = billingUnits.filter(({ since }) => since === 2);
/** Counters that were added later, by version. The counters of a version are announced by one flag. */
const sections = [...Map.groupBy(billingUnits.filter(isFlagged), ({ since }) => since)].map(([since, units]) => ({
  since,
  units,
  ...(units[0] as FlaggedUnit).recordFlags,
}));

const COUNTER_BYTES = 8;
const TOGETHER_FLAG = 1;
const TOGETHER_BYTES = together.length * COUNTER_BYTES;

/** Returns the code that writes and reads the counters of a record. */
export function describeUnitCounters(): string {
  return `// Generated from billing-units.ts by bin/pnpm generate. Do not edit.
// This code runs for each call, so it names each unit: loops over the table would be slower.
import type { UnitCounts } from "@tollgate/domain/pricing/billing-units.ts";
import { isPlainUsage } from "@tollgate/domain/pricing/units.generated.ts";

/** Section flag of the counters that are written together. */
export const MORE_UNITS = ${TOGETHER_FLAG};
/** All section flags of a closing record that announce counters. */
export const MORE_COUNTERS = ${anyOf(TOGETHER_FLAG, ...sections.map(({ closing }) => closing))};

/** Writes the plain tokens, which every call has. */
export function writeTokens(view: DataView, offset: number, usage: UnitCounts): void {
${lines(plain, ({ name }, index) => `  view.setFloat64(${at("offset", index)}, usage.${name}, true);`)}
}

/** Returns the section flags of the counters that the usage needs; 0 for most calls. */
export function counterParts(usage: UnitCounts): number {
  if (isPlainUsage(usage)) return 0;
  return ${anyOf(TOGETHER_FLAG, ...sections.map(({ units, closing }) => `(${units.map(({ name }) => `usage.${name} > 0`).join(" || ")} ? ${closing} : 0)`))};
}

/** Writes the counters that the section flags announce, and returns the end offset. */
export function writeCounters(view: DataView, offset: number, usage: UnitCounts, parts: number): number {
${lines(together, ({ name }, index) => `  view.setFloat64(${at("offset", index)}, usage.${name}, true);`)}
  let end = offset + ${TOGETHER_BYTES};
${lines(
  sections,
  ({ units, closing }) => `  if ((parts & ${closing}) !== 0) {
${lines(units, ({ name }, index) => `    view.setFloat64(${at("end", index)}, usage.${name}, true);`)}
    end += ${units.length * COUNTER_BYTES};
  }`,
)}
  return end;
}

/** Returns the size of the counters that these section flags announce. */
export function countersBytes(parts: number): number {
  let bytes = (parts & ${TOGETHER_FLAG}) === 0 ? 0 : ${TOGETHER_BYTES};
${lines(sections, ({ units, closing }) => `  if ((parts & ${closing}) !== 0) bytes += ${units.length * COUNTER_BYTES};`)}
  return bytes;
}

/** Reads all counters. \`countersAt\` is the offset of the counters that the section flags announce. */
export function readCounters<Source>(
  bytes: Buffer,
  tokensAt: number,
  countersAt: number,
  parts: number,
  source: Source,
): UnitCounts & { readonly source: Source } {
  const hasUnits = (parts & ${TOGETHER_FLAG}) !== 0;
  let end = countersAt + ${TOGETHER_BYTES};
${lines(
  sections,
  ({ units, closing }) => `${lines(units, ({ name }) => `  let ${name} = 0;`)}
  if (hasUnits && (parts & ${closing}) !== 0) {
${lines(units, ({ name }, index) => `    ${name} = bytes.readDoubleLE(${at("end", index)});`)}
    end += ${units.length * COUNTER_BYTES};
  }`,
)}
  return {
${lines(plain, ({ name }, index) => `    ${name}: bytes.readDoubleLE(${at("tokensAt", index)}),`)}
${lines(together, ({ name }, index) => `    ${name}: hasUnits ? bytes.readDoubleLE(${at("countersAt", index)}) : 0,`)}
${lines(
  sections.flatMap(({ units }) => units),
  ({ name }) => `    ${name},`,
)}
    source,
  };
}

/** Returns the flags of a checkpoint for these section flags. */
export function checkpointFlags(parts: number): number {
  return ${anyOf(...sections.map(({ closing, checkpoint }) => `((parts & ${closing}) === 0 ? 0 : ${checkpoint})`))};
}

/** Returns the section flags for the flags of a checkpoint that has counters. */
export function checkpointParts(flags: number): number {
  return ${anyOf(TOGETHER_FLAG, ...sections.map(({ closing, checkpoint }) => `((flags & ${checkpoint}) === 0 ? 0 : ${closing})`))};
}

/** Returns the oldest record version whose readers know the counters that these section flags announce. */
export function versionOfCounters(parts: number): number {
${lines(sections.toReversed(), ({ since, closing }) => `  if ((parts & ${closing}) !== 0) return ${since};`)}
  return 2;
}
`;
}

const anyOf = (...flags: readonly (string | number)[]): string => flags.join(" | ");

const at = (start: string, index: number): string => (index === 0 ? start : `${start} + ${index * COUNTER_BYTES}`);

function lines<Item>(items: readonly Item[], write: (item: Item, index: number) => string): string {
  return items.map(write).join("\n");
}

type FlaggedUnit = BillingUnit & { readonly recordFlags: { readonly closing: number; readonly checkpoint: number } };

function isFlagged(unit: BillingUnit): unit is FlaggedUnit {
  return unit.recordFlags !== null;
}
