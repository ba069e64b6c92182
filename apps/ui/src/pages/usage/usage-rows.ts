import { compare, type EntitySum, hitRateOf, sumEntities } from "./sum-entities.ts";
import { columnOf, type Measure, measureOf } from "./usage-view.ts";
import type { Names } from "./use-names.ts";
import type { Usage } from "./use-usage.ts";

/** A table row: an entity, or a part of the expanded entity. */
export interface TableLine {
  readonly id: string;
  readonly name: string;
  readonly sum: EntitySum;
  /** Share of the total, from zero to one. */
  readonly share: number;
  /** The measure per chart column; null for rows that are part of an entity. */
  readonly course: readonly bigint[] | null;
}

const sorts = {
  name: ({ name }) => name.toLowerCase(),
  requests: ({ sum }) => sum.requests,
  errors: ({ sum }) => sum.errors,
  input: ({ sum }) => sum.input,
  cached: ({ sum }) => sum.cached,
  output: ({ sum }) => sum.output,
  hitRate: ({ sum }) => hitRateOf(sum) ?? -1,
  saved: ({ sum }) => sum.saved,
  spend: ({ sum }) => sum.cost,
  share: ({ sum }) => sum.value,
} satisfies Record<string, (line: TableLine) => string | number | bigint>;

/** Returns a report's entities as table rows. */
export function entityLines(usage: Usage, names: Names, measure: Measure, total: bigint): readonly TableLine[] {
  const { report, dimension, columns } = usage;
  const places = new Map(columns.map(({ key }, index) => [key, index]));
  const courses = new Map<string, bigint[]>();
  for (const row of report.data) {
    const entity = names.entityOf(dimension, row);
    const course = courses.get(entity) ?? columns.map(() => 0n);
    const place = places.get(columnOf(row));
    if (place !== undefined) course[place] = (course[place] ?? 0n) + measureOf(measure, row);
    courses.set(entity, course);
  }
  return sumEntities(report.data, (row) => names.entityOf(dimension, row), measure).map((sum) => ({
    id: sum.key,
    name: names.nameOf(dimension, sum.key),
    sum,
    share: shareOf(sum.value, total),
    course: courses.get(sum.key) ?? null,
  }));
}

/** Sorts by a column: `spend` ascending, `-spend` descending. */
export function sortLines(lines: readonly TableLine[], sort: string): readonly TableLine[] {
  const name = sort.replace(/^-/, "");
  if (!Object.hasOwn(sorts, name)) return lines;
  const read: (line: TableLine) => string | number | bigint = sorts[name as keyof typeof sorts];
  const direction = sort.startsWith("-") ? -1 : 1;
  return lines.toSorted((one, other) => direction * compare(read(one), read(other)));
}

/** Returns a share, rounded down to a hundredth of a percent. Exact enough for drawing. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 10_000n) / whole) / 10_000;
}
