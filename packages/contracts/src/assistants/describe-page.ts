import type { Page } from "@tollgate/domain/assistants/records.ts";

/** Converts a page of a list to its wire format. */
export function describePage<Item>({ items, hasMore }: Page<Item>, describe: (item: Item) => { readonly id: string }) {
  const data = items.map(describe);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}
