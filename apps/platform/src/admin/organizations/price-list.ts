import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { PriceListAnswer, PriceListBody } from "@tollgate/contracts/management/price-list.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { findAnyOrganization } from "@tollgate/db/organizations/list-all-organizations.ts";
import {
  lockPriceList,
  type PriceListEntry,
  readPriceList,
  replacePriceList,
} from "@tollgate/db/organizations/price-list.ts";
import type { FixedPrice } from "@tollgate/domain/pricing/fix-price.ts";
import { isFixed } from "@tollgate/domain/pricing/price-terms.ts";
import {
  InvalidPriceRule,
  readFixedPrice,
  type StoredFixedPrice,
  writeFixedPrice,
} from "@tollgate/domain/pricing/stored-price-rules.ts";
import Type, { type Static } from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, read, write } from "../../operation.ts";

/** One percent in millionths, as decimal places. */
const PERCENT_PLACES = 4;
const LEAST_MILLIONTHS = -1_000_000n;
/** Maximum amount per request: 1,000 USD. */
const MAX_FIXED_NANO = 1_000_000_000_000n;

export const getOrganizationPrices = operation({
  ...read,
  id: "getOrganizationPrices",
  summary: "Get an organization's own prices",
  tag: "admin",
  path: "/api/admin/organizations/{id}/prices",
  auth: "administrator",
  scope: "administrator",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The price list", schema: PriceListAnswer } },
  handle: async ({ params }, transaction) => {
    if ((await findAnyOrganization(transaction, params.id)) === null) throw unknownObject("organization");
    return { status: 200, body: { entries: (await readPriceList(transaction, params.id)).map(answerEntry) } };
  },
});

export const updateOrganizationPrices = operation({
  ...write,
  method: "PUT",
  id: "updateOrganizationPrices",
  summary: "Replace an organization's own prices",
  tag: "admin",
  path: "/api/admin/organizations/{id}/prices",
  auth: "administrator",
  scope: "administrator",
  recentAuthentication: true,
  params: Type.Object({ id: PathId }),
  body: PriceListBody,
  answers: { 200: { description: "The new price list", schema: PriceListAnswer } },
  handle: async (input, transaction, { now }) => {
    const { id } = input.params;
    if ((await findAnyOrganization(transaction, id)) === null) throw unknownObject("organization");
    const entries = readEntries(input.body);
    await lockPriceList(transaction, id);
    const before = await readPriceList(transaction, id);
    await replacePriceList(transaction, id, entries, now());
    await writeAudit(transaction, {
      organizationId: id,
      actor: administratorOf(input),
      action: "organization.prices_changed",
      target: { type: "organization", id },
      before: { entries: before.map(describeEntry) },
      after: { entries: entries.map(describeEntry) },
    });
    return { status: 200, body: { entries: entries.map(answerEntry) } };
  },
});

type StoredPrice = NonNullable<Static<typeof PriceListAnswer>["entries"][number]["price"]>;

function readEntries({ entries }: PriceListBody): readonly PriceListEntry[] {
  const models = new Set(entries.map(({ model }) => model));
  if (models.size < entries.length) throw invalidField("entries", "name a model twice");
  return entries.map(({ model, percentage, fixedPerRequest = 0n, price }, index) => {
    if ((percentage == null) === (price == null)) throw invalidField("entries", "must have a percentage or a price");
    if (price != null) {
      if (model === "*") throw invalidField(`entries.${index}.price`, "must be the price of one model");
      if (fixedPerRequest !== 0n)
        throw invalidField(`entries.${index}.price`, "must have perRequest, not fixedPerRequest");
      return { modelGroup: model, terms: readPrice(price, `entries.${index}.price`) };
    }
    const shareMillionths = toMillionths(percentage as string);
    if (shareMillionths < LEAST_MILLIONTHS) throw invalidField("percentage", "must be at least -100");
    if (fixedPerRequest < 0n || fixedPerRequest > MAX_FIXED_NANO) {
      throw invalidField("fixedPerRequest", "must be from 0 to 1000 USD, in nano-USD");
    }
    return { modelGroup: model, terms: { shareMillionths, fixedNanoUsd: fixedPerRequest } };
  });
}

function readPrice(price: StoredFixedPrice, place: string): FixedPrice {
  try {
    return readFixedPrice(price);
  } catch (error) {
    if (!(error instanceof InvalidPriceRule)) throw error;
    throw invalidField(error.field === "" ? place : `${place}.${error.field}`, error.message);
  }
}

function toMillionths(percentage: string): bigint {
  const [whole = "0", fraction = ""] = percentage.replace("-", "").split(".");
  const size = BigInt(whole + fraction.padEnd(PERCENT_PLACES, "0"));
  return percentage.startsWith("-") ? -size : size;
}

function answerEntry(entry: PriceListEntry) {
  const described = describeEntry(entry);
  return { ...described, usd: usdOf({ fixedPerRequest: described.fixedPerRequest }) };
}

function describeEntry({ modelGroup, terms }: PriceListEntry) {
  if (isFixed(terms)) {
    const price = writeFixedPrice(terms) as StoredPrice;
    return { model: modelGroup, percentage: null, fixedPerRequest: 0n, price };
  }
  const { shareMillionths, fixedNanoUsd } = terms;
  const size = shareMillionths < 0n ? -shareMillionths : shareMillionths;
  const digits = size.toString().padStart(PERCENT_PLACES + 1, "0");
  const fraction = digits.slice(-PERCENT_PLACES).replace(/0+$/, "");
  const percentage = `${shareMillionths < 0n ? "-" : ""}${digits.slice(0, -PERCENT_PLACES)}${fraction === "" ? "" : `.${fraction}`}`;
  return { model: modelGroup, percentage, fixedPerRequest: fixedNanoUsd, price: null };
}
