import { countedUnits } from "@tollgate/domain/pricing/billing-units.ts";
import { expect, test } from "vitest";
import { addMissingUnits, findMissingUnits } from "./unit-lists.ts";

const pages = { name: "scannedPages", column: "scanned_pages", price: "perPage", priceColumn: "per_page_pico" };
const known = countedUnits.filter(({ name }) => ["characters", "images", "searches"].includes(name));
const withPages = [...known, pages];

const price = `-- Prices a call.
create or replace function price_of_call(price price_versions, characters bigint, images bigint, searches bigint) returns bigint
  language sql immutable
  return div(
    1000 * (
      case when characters > 0 then characters::numeric * coalesce((price).per_character_pico, 0) else 0 end
      + case when images > 0 then images::numeric * coalesce((price).per_image_pico, 0) else 0 end
      + case when searches > 0 then searches::numeric * coalesce((price).per_search_pico, 0) else 0 end
    ), 1000)::bigint;
`;

const settle = `create or replace function settle(batch json) returns void
  language plpgsql
as $$
declare
  good usage_events[]; -- searches included

begin
  select array_agg(row(id, coalesce((units)."characters", 0), coalesce((units)."images", 0), coalesce((units).searches, 0), null)::usage_events)
    into good from classify(batch) where least((units)."characters", (units)."images", (units).searches) >= 0;
  insert into usage_events (characters, images, searches, loss) select characters, images, searches, loss from good;
end
$$;

revoke execute on function settle from public;
`;

test("names the function and the unit that it lacks", () => {
  expect(findMissingUnits("settle", settle.replace(", (units).searches)", ")"), known)).toEqual([
    "settle mentions searches 3 times instead of 4",
  ]);
  expect(findMissingUnits("price_of_call", price.replaceAll("per_search_pico", "other"), known)).toEqual([
    "price_of_call mentions per_search_pico or perSearch 0 times instead of 1",
  ]);
  expect(findMissingUnits("settle", settle, known)).toEqual([]);
});

test("ignores a function that mentions a unit's name by chance", () => {
  expect(findMissingUnits("shorten", "returns the first characters", known)).toEqual([]);
});

test("does not change a function that lists every unit", () => {
  for (const text of [price, settle]) expect(addMissingUnits(text, known)).toBe(text);
});

test("lists a new unit after the unit before it, and last in a row of calls", () => {
  const added = addMissingUnits(settle, withPages);
  expect(added).toContain(
    'row(id, coalesce((units)."characters", 0), coalesce((units)."images", 0), coalesce((units).searches, 0), null, coalesce((units)."scannedPages", 0))::usage_events',
  );
  expect(added).toContain(
    'least((units)."characters", (units)."images", (units).searches, (units)."scannedPages") >= 0',
  );
  expect(added).toContain(
    "(characters, images, searches, scanned_pages, loss) select characters, images, searches, scanned_pages, loss",
  );
  expect(added).toContain("-- searches included\n");
  expect(added.endsWith("revoke execute on function settle from public;\n")).toBe(true);
  expect(addMissingUnits(added, withPages)).toBe(added);
});

test("keeps the previous definition of a function whose parameters change", () => {
  const added = addMissingUnits(price, withPages);
  expect(added).toContain("searches bigint, scanned_pages bigint) returns bigint");
  expect(added).toContain(
    "\n      + case when scanned_pages > 0 then scanned_pages::numeric * coalesce((price).per_page_pico, 0) else 0 end\n",
  );
  expect(added.split("create or replace function price_of_call")).toHaveLength(3);
  expect(added).toContain(price.slice(price.indexOf("create")));
  expect(addMissingUnits(added, withPages)).toBe(added);
});
