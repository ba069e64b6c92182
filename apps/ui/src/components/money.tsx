import { formatExactMoney, formatMoney, formatMoneyColumn } from "@tollgate/domain/figures/money-text.ts";
import { formatRequestCost, splitExact } from "../format/money.ts";
import { classes } from "./classes.ts";

interface MoneyProps {
  /** Amount in nano-USD; null if unpriced. */
  readonly nano: bigint | null;
  /** As many decimals as the amount needs, six in request lists, or nine where precision matters. */
  readonly form?: "adaptive" | "request" | "exact";
  /** Total of the column or figure that the amount is a part of, whose decimals it has so that all parts align. */
  readonly total?: bigint | undefined;
  /** Shows a plus sign for positive amounts. */
  readonly signed?: boolean;
}

/** An amount of money. Its title shows the exact value in nano-USD. */
export function Money(props: MoneyProps) {
  const { nano, form = "adaptive", total } = props;
  if (nano === null) return <span className="text-muted">Unpriced</span>;
  const plus = props.signed && nano > 0n ? "+" : "";
  if (form === "exact") return <Exact nano={nano} plus={plus} />;
  return (
    <span title={formatExactMoney(nano)} className="whitespace-nowrap">
      {plus}
      {total === undefined ? FORMS[form](nano) : formatMoneyColumn([total])(nano)}
    </span>
  );
}

function Exact(props: { readonly nano: bigint; readonly plus: string }) {
  const { cents, rest } = splitExact(props.nano);
  return (
    <span className={classes("font-mono font-medium whitespace-nowrap")}>
      {props.plus}
      {cents}
      <span className="font-normal text-faint">{rest}</span>
    </span>
  );
}

const FORMS = { adaptive: formatMoney, request: formatRequestCost };
