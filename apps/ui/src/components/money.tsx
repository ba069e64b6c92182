import { formatRequestCost, formatRunningCost, formatTotal, formatUsd, splitExact } from "../format/money.ts";
import { classes } from "./classes.ts";

interface MoneyProps {
  /** Amount in nano-USD; null if unpriced. */
  readonly nano: bigint | null;
  /** Two decimals in summaries, six in request lists, nine where precision matters, trimmed in running text. */
  readonly form?: "total" | "request" | "exact" | "running";
  /** Shows a plus sign for positive amounts. */
  readonly signed?: boolean;
}

/** An amount of money. Its title shows the exact value in nano-USD. */
export function Money(props: MoneyProps) {
  const { nano, form = "total" } = props;
  if (nano === null) return <span className="text-muted">Unpriced</span>;
  const plus = props.signed && nano > 0n ? "+" : "";
  if (form === "exact") return <Exact nano={nano} plus={plus} />;
  return (
    <span title={formatUsd(nano, 9)} className="whitespace-nowrap">
      {plus}
      {FORMS[form](nano)}
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

const FORMS = { total: formatTotal, request: formatRequestCost, running: formatRunningCost };
