import Type, { type Static, type TSchema } from "typebox";

const MAX_PAGE_SIZE = 100;
/** A page past the end is empty, so page numbers are limited only by the integer range. */
const MAX_PAGE = 2_147_483_647;
const DEFAULT_PAGE_SIZE = 20;

/** Page parameters that every list spreads into its query schema. */
export const pageFields = {
  page: Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 1 }),
  pageSize: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
};

export interface Page {
  readonly page: number;
  readonly pageSize: number;
}

export const ListMeta = Type.Object({
  page: Type.Integer(),
  pageSize: Type.Integer(),
  total: Type.Integer(),
  totalPages: Type.Integer(),
});

/** Returns the schema of a list response. */
export function listOf<Item extends TSchema>(item: Item) {
  return Type.Object({ data: Type.Array(item), meta: ListMeta });
}

/** Wraps the rows of one page in a list response. */
export function toList<Item>(
  data: readonly Item[],
  { page, pageSize }: Page,
  total: number,
): { data: readonly Item[]; meta: Static<typeof ListMeta> } {
  return { data, meta: { page, pageSize, total, totalPages: Math.ceil(total / pageSize) } };
}

/** Returns a sort parameter for these fields. A `-` prefix sorts in descending order. */
export function sortBy<const Field extends string>(
  fields: readonly Field[],
  defaultSort: NoInfer<Field | `-${Field}`>,
) {
  return Type.Unsafe<Field | `-${Field}`>({
    type: "string",
    enum: fields.flatMap((field) => [field, `-${field}`]),
    default: defaultSort,
  });
}

/** Returns a parameter that may be repeated or sent as a comma-separated list. */
export function repeatable<Item extends TSchema>(item: Item) {
  return Type.Unsafe<Static<Item>[]>({ type: "array", items: item, maxItems: 50, "x-list": true });
}
