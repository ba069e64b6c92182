import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { type HubModel, isPriced } from "../../api/hub-model.ts";
import { Badge } from "../../components/badge.tsx";
import { otherPrice, type PriceUnit, priceIn, type RequestSize } from "./price-unit.ts";

type PriceKind = "in" | "cached" | "out";

interface ModelPriceProps {
  readonly model: HubModel;
  readonly kind: PriceKind;
  readonly unit: PriceUnit;
  /** The user's average request; null if unknown. */
  readonly size: RequestSize | null;
}

/** One price of a model in the chosen unit. An unpriced model is labeled once, in the input column. */
export function ModelPrice({ model, kind, unit, size }: ModelPriceProps) {
  if (!isPriced(model)) return kind === "in" ? <Badge tone="warning">Unpriced</Badge> : null;
  const { pricing } = model;
  const price = priceIn(unit, pricing[fields[kind]], size?.[sizes[kind]] ?? null);
  if (price !== null) return <span title={formatExactMoney(price.nano)}>{price.text}</span>;
  const other = kind === "in" ? otherPrice(model) : null;
  return other === null ? <span className="text-faint">–</span> : <span>{other}</span>;
}

const fields = {
  in: "inputPerMillionTokens",
  cached: "cachedInputPerMillionTokens",
  out: "outputPerMillionTokens",
} as const;

const sizes = { in: "inputTokens", cached: "cachedTokens", out: "outputTokens" } as const;
